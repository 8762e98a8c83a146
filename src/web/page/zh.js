// The Chinese texts of the page.

/** Chinese texts by English texts. @type {Readonly<Record<string, string>>} */
export const ZH = {
  // server and messages
  'The server does not answer.': '服务器没有应答。',
  'Is `juzhong serve` still running? Start it again and try once more.': '`juzhong serve` 还在运行吗？请重新启动后再试。',
  'The server is busy.': '服务器正忙。',
  'Wait a few seconds and try again.': '请稍等几秒再试。',
  'Copied.': '已复制。',
  'Reading {name} …': '正在读取 {name} …',
  '{n} games in this file: see Games.': '此文件有 {n} 局棋，见“棋谱”。',
  'This is not a FEN.': '这不是 FEN。',

  // board
  'Board': '棋盘', 'empty': '空', 'study': '研究', 'check': '将军', 'draw': '和',
  '{point}: {man}': '{point}：{man}',
  '{point}: {man}, selected': '{point}：{man}，已选中',
  '{point}: {man}, can be reached': '{point}：{man}，可以走到',
  '{point}: forbidden, {reason}': '{point}：禁手，{reason}',
  '{point} is forbidden: {reason}': '{point} 是禁手：{reason}',
  'red king': '红帅', 'red advisor': '红仕', 'red elephant': '红相', 'red horse': '红马', 'red chariot': '红车', 'red cannon': '红炮', 'red pawn': '红兵',
  'black king': '黑将', 'black advisor': '黑士', 'black elephant': '黑象', 'black horse': '黑马', 'black chariot': '黑车', 'black cannon': '黑炮', 'black pawn': '黑卒',
  'black stone': '黑子', 'white stone': '白子',
  'Value for Red: {score}': '红方分值：{score}', 'Value for Black: {score}': '黑方分值：{score}',
  'Moves of the game': '棋局的着法', 'To the start': '回到开局', 'One move back': '后退一着', 'One move on': '前进一着', 'To the end': '到末尾',
  'Undo': '撤销', 'Redo': '重做', 'Turn the board': '翻转棋盘', 'New game': '新局', 'Set up a position': '摆局',
  'Back to the game': '回到对局',

  // status
  'Red to move': '红方走', 'Black to move': '黑方走', 'White to move': '白方走',
  'Red wins': '红胜', 'Black wins': '黑胜', 'White wins': '白胜', 'Draw': '和棋', 'Checkmate': '将死', 'Stalemate': '困毙',
  'Illegal position: {reasons}': '局面不合法：{reasons}',
  'a draw by the rules': '按规则判和', 'Red wins by the rules': '按规则判红胜', 'Black wins by the rules': '按规则判黑胜',
  'Red loses by the rules': '按规则判红负', 'Black loses by the rules': '按规则判黑负',
  'check by {men}': '{men} 将军', 'chases {men}': '捉 {men}', 'quiet': '闲着', 'The loop: {verdict}': '循环着法：{verdict}',

  // help and style
  'Close': '关闭', 'Keys': '按键', 'Help': '帮助', 'Help (?)': '帮助 (?)', 'Style': '外观', 'Views': '页面', 'Panels': '面板',
  'a move back, a move on': '后退、前进一着', 'the variation above, below': '上一个、下一个变着', 'to the start, to the end': '到开局、到末尾',
  'turn the board': '翻转棋盘', 'engine on or off': '开关引擎', 'values of the pieces': '棋子的分值', 'table; in gomoku the proof': '残局库；五子棋为证明', 'play': '对弈',
  'study: leave the game here, come back': '研究：在此离开对局，再回来', 'undo, redo': '撤销、重做', 'new game': '新局', 'play the best move': '走最佳着法',
  'type a move in any notation': '用任何记谱法输入着法', 'delete from here on': '删去此后着法', 'this help': '本帮助',
  'Drag a piece or click it and then a point. The right button draws arrows. Drop a file anywhere, paste a FEN or a game with Ctrl+V.':
    '拖动棋子，或先点棋子再点落点。右键画箭头。文件可拖放到任何位置，FEN 或棋谱可用 Ctrl+V 粘贴。',
  'With Tab the board itself takes the keyboard: arrows go from point to point, Enter chooses.': '按 Tab 可用键盘操作棋盘：方向键移动，回车选定。',
  'The characters of the pieces are outlines of Noto Serif CJK by Adobe, under the SIL Open Font License.': '棋子上的字取自 Adobe 的 Noto Serif CJK 字体轮廓，依 SIL 开放字体许可证使用。',
  'wood': '木', 'paper': '纸', 'slate': '石板', 'dark': '暗色', 'light': '亮色', 'none': '无', 'by the language': '随语言', 'as the system': '随系统', 'Light or dark': '明暗',
  'Pieces': '棋子', 'Coordinates': '坐标', 'traditional': '繁体', 'simplified': '简体', 'letters': '字母', 'pictograms': '图形',
  'arrows of book, table and engine': '棋库、残局库和引擎的箭头', 'numbers on the stones of gomoku': '五子棋子上的手数',

  // tabs and views
  'Moves': '着法', 'Engine': '引擎', 'Book': '棋库', 'Table': '残局库', 'Play': '对弈', 'Review': '复盘', 'Values': '分值', 'File': '文件',
  'Games': '棋谱', 'Tables': '残局库', 'Gomoku': '五子棋', 'book': '棋库', 'table': '残局库', 'search': '搜索',

  // book
  'Sample games': '例局', 'games': '局数', 'Filters': '筛选', 'at least games': '至少局数', 'from year': '起始年', 'to year': '终止年', 'Copy': '复制',
  'No book is open. Build one from game files and start the server with it:': '没有打开棋库。用棋谱建一个，再用它启动服务器：',
  'No folder of games is open. Start the server with one:': '没有打开棋谱文件夹。请带一个启动服务器：',
  'No move in this book. Go back with ←, or turn the engine on with e.': '棋库中没有此局面的着法。按 ← 后退，或按 e 打开引擎。',
  'Move': '着法', 'Score': '得分', 'Weight': '权重', 'Years': '年份', 'Red · draw · Black': '红胜 · 和 · 黑胜', 'Black · draw · White': '黑胜 · 和 · 白胜',
  'Red {first}, draw {draws}, Black {second}': '红胜 {first}，和 {draws}，黑胜 {second}',
  'Black {first}, draw {draws}, White {second}': '黑胜 {first}，和 {draws}，白胜 {second}',
  'found by its mirror image': '由左右对称局面查得', 'Edit {move}': '编辑 {move}', 'Comment': '注释', 'Never play this move': '不走这一着',
  'Save': '保存', 'Add a move to the book': '加一着到棋库', 'Add': '加入', 'Show the loop': '显示循环',  'Cancel': '取消', 'Undo the last edit': '撤销上一次编辑', 'The book is changed.': '棋库已修改。',
  'engine {value}': '引擎 {value}', 'priority {n}': '优先级 {n}', '{n} game': '{n} 局', '{n} games': '{n} 局',
  '{n} game by transposition': '{n} 局经其他次序到达', '{n} games by transposition': '{n} 局经其他次序到达',
  'disabled': '停用', 'banned by the rules': '规则禁止', 'lost by the tables': '残局库判负', 'locked': '锁定', 'added by hand': '手工加入',

  'Games of the library': '棋谱文件夹中的棋局', 'rating from': '等级分不低于', 'Both players have at least this rating': '双方等级分都不低于此数',
  'Years and ratings are counted in a folder of games. Start the server with one:': '年份和等级分按棋谱文件夹统计。请带一个启动服务器：',
  'Years and ratings are counted in the games of the library.': '年份和等级分按棋谱文件夹统计。', 'Remove the filters': '取消筛选',
  'The book keeps no games of this position. Build it with samples:': '棋库没有保存此局面的棋局。建库时请保存例局：',
  'No game of the library went on from here.': '棋谱文件夹中没有从此局面继续的棋局。',

  // engine
  'Analysis on or off (e)': '开关分析 (e)', '{n} line': '{n} 条变化', '{n} lines': '{n} 条变化', 'How many lines': '变化条数', 'Stop': '停止', 'Go on': '继续', 'thinking …': '思考中 …',
  'depth {depth}': '深度 {depth}', '{n} nodes/s': '{n} 节点/秒', '{n} s': '{n} 秒',
  'For the side to move: win {win} %, draw {draw} %, loss {loss} %': '走棋方：胜 {win} %，和 {draw} %，负 {loss} %',
  'from the book': '来自棋库', 'from the tables': '来自残局库', 'found by search': '搜索所得', 'the only move': '唯一着法',

  // files
  'Position (FEN)': '局面 (FEN)', 'Copy FEN': '复制 FEN', 'Copy link': '复制链接', 'Copy game': '复制棋谱',
  'Paste a FEN or a game of any format': '粘贴 FEN 或任何格式的棋谱', 'Put it on the board': '放到棋盘上', 'Open a file': '打开文件',
  'or drop one anywhere on the page': '或拖放到页面任何位置', 'Format': '格式', 'Chinese': '中文', 'Notation': '记谱法', 'Save game': '保存棋谱', 'Save all {n} games of the file': '保存文件中全部 {n} 局',

  // games
  'Search players, events, openings': '搜索棋手、赛事、布局', 'games through the position on the board': '经过棋盘上局面的棋谱',
  'Players': '棋手', 'Year': '年份', 'Result': '结果', 'Opening': '布局', 'Plies': '步数', 'Earlier': '上一页', 'Later': '下一页', 'page {n}': '第 {n} 页',
  'No game was found. Try fewer words.': '没有找到。请减少搜索词。', 'Games of the opened file': '所开文件中的棋谱', 'Recently on the board': '最近摆过的棋局',
  'Analysis': '分析', 'Game': '棋局', '{n} ply': '{n} 步', '{n} plies': '{n} 步', '{n} move': '{n} 着', '{n} moves': '{n} 着',

  'Games you played': '您下过的棋局',

  // moves
  'Make this the main line': '设为主变', 'Delete from here on': '删去此后着法', 'Study': '研究',
  'Leave the game here, try things, and come back (s)': '在此离开对局，试走变化，再回来 (s)',
  'Play a move on the board, type one below, paste a game or drop a file on the board.': '在棋盘上走一着，在下面输入着法，粘贴棋谱，或把文件拖到棋盘上。',
  'Comment on this move': '为此着加注释', 'Type a move (/)': '输入着法 (/)', 'Type a move in any notation': '用任何记谱法输入着法',

  // play
  'Play against the engine from the position on the board.': '从棋盘上的局面开始与引擎对弈。', 'Play {side}': '执{side}', 'Engine against itself': '引擎自战',
  'The engine is thinking …': '引擎思考中 …', 'Your move.': '轮到您走。', 'The game waits while you study.': '研究期间对局暂停。',
  'You are looking at an earlier position.': '您在看较早的局面。', 'Hint': '提示', 'Take back': '悔棋', 'Offer a draw': '提和', 'Resign': '认输', 'Leave the game': '离开对局',
  'Black': '黑方', 'White': '白方', 'Red': '红方', 'a person': '人', 'the engine': '引擎', 'Level': '级别', 'Seconds a move': '每着秒数',
  'Minutes each (0: no clock)': '每方分钟（0 为不计时）', 'Increment in seconds': '每着加秒', 'use the book': '用棋库', 'use the tables': '用残局库',
  'Engine, level {level}': '引擎 {level} 级', 'You': '您', 'Red resigns.': '红方认输。', 'Black resigns.': '黑方认输。', 'White resigns.': '白方认输。',
  'Hint: {move}': '提示：{move}', 'Draw by agreement.': '双方同意和棋。', 'The engine thinks about the offer …': '引擎在考虑提和 …',
  'The engine declines the draw.': '引擎不同意和棋。', '{winner} on time.': '超时，{winner}。',

  'To keep games on disk, open the address with #token= that `juzhong serve` printed.': '要把棋局存到磁盘，请打开 `juzhong serve` 显示的带 #token= 的网址。',
  'saved as {file}': '已存为 {file}', 'The game could not be saved: {reason}': '棋局未能保存：{reason}',

  // review
  'quick': '快速', 'normal': '普通', 'thorough': '细致', 'How thorough': '细致程度', 'Review this game': '复盘此局', '{done} of {of} moves': '第 {done} 着，共 {of} 着',
  'Open or play a game first.': '请先打开或下一局棋。', 'Accuracy: Red {red}, Black {black}': '准确率：红 {red}，黑 {black}',
  'Accuracy: Black {red}, White {black}': '准确率：黑 {red}，白 {black}',
  'Mistakes, the largest first': '失误，从大到小', 'No mistake was found.': '没有发现失误。', 'better:': '更好：',
  'The chances of the first player over the game; click to go to a move': '先手方胜势曲线；点击可到该着', '−{n} centipawns': '−{n} 分',

  // setup
  'Use this position': '用此局面', 'Remove': '移去', 'Side to move': '走棋方', 'Start position': '初始局面', 'Empty the board': '清空棋盘', 'Turn colours': '红黑互换',
  'Choose a piece and click points, or drag pieces on the board; off the board removes them.': '选定棋子后点击落点，或在棋盘上拖动；拖出棋盘即移去。',
  'Size of the board': '棋盘大小', 'freestyle': '无禁手', 'exactly five': '恰好五连', 'renju': '连珠', 'Rules': '规则', 'A legal position.': '局面合法。',

  // tables
  'No tables are open. Build some and start the server with them:': '没有打开残局库。生成一些，再用它们启动服务器：',
  '{n} men are on the board; the tables have up to {men}, kings included. See the index under Tables for positions to start from.':
    '盘上有 {n} 子；残局库最多 {men} 子（含将帅）。可从“残局库”目录选一个局面开始。',
  'Table {material}, rules {rules}, distances {metric}': '残局库 {material}，规则 {rules}，距离 {metric}', 'to mate': '到将死', 'to the next capture': '到下一次吃子',
  '{n} of 120 plies without a capture': '未吃子 {n} 步，限 120 步', 'the win may come too late for the limit': '胜着可能超过限着',
  'Play the best line': '演示最佳变化', 'Play it out': '实战演练', 'You move now; the tables defend perfectly': '由您先走，残局库完美应对', 'Other side to move': '换对方走',
  'Winning': '胜着', 'Drawing': '和着', 'Losing': '负着', 'A draw with best play.': '双方最佳应对为和棋。',
  ' only by the repetition rule (round {n})': '，仅依循环规则（第 {n} 轮）', '; the moves repeat within {n} ply': '；{n} 步内着法循环', '; the moves repeat within {n} plies': '；{n} 步内着法循环', '{sentence}.': '{sentence}。', 'round {n}': '第 {n} 轮',
  ' in {n} ply': '，{n} 步', ' in {n} plies': '，{n} 步',
  'From here the moves repeat, and the repetition rule decides.': '此后着法循环，由循环规则裁定。',
  'Endgame tables': '残局库', 'Set': '子力', 'Men': '子数', 'Wins': '胜', 'Draws': '和', 'Losses': '负', 'by rule': '依规则', 'plies, longest': '最长步数', 'Size': '大小',
  'The tables do not have these men. This command builds the set:': '残局库没有这组子力。用此命令生成：',
  'Practise from a random position:': '从随机局面练习：', 'won': '胜局', 'drawn': '和局', 'lost': '负局', 'Wins by distance in plies': '胜局按步数分布', 'Longest wins': '最长的胜局',
  '{plies} plies: {n} positions': '{plies} 步：{n} 个局面', '{n} set': '{n} 组', '{n} sets': '{n} 组',

  // proofs
  'Proof': '证明', 'Prove': '证明', 'Time for the proof': '证明时限', 'proving … {n} s': '证明中 … {n} 秒', 'Your move: try any defence.': '轮到您走：请任选防守。',
  'Not proved from here: give it more time.': '由此尚未证明：请给更多时间。',
  'Does one side win by force from here? What is proved is shown with its moves.': '由此是否有一方必胜？证明所得会列出着法。',
  'Nothing is proved. Give it more time, or play a move that forces more and prove again.': '未能证明。请给更多时间，或走更强制的一着后再证明。',
  'Answer yourself': '自己应对', 'Try any defence; every one is refuted': '任选防守，每种都会被破解', 'Show the line': '显示着法',
  '{n} position was looked at': '查看了 {n} 个局面', '{n} positions were looked at': '查看了 {n} 个局面', ' in at most {n} plies': '，至多 {n} 步',
  ', by continuous fours': '，连续冲四', ', by threats': '，连续威胁', ', by proof-number search': '，证明数搜索', ', after every move was tried': '，穷举所有着法',

  // values
  'Under each piece: what it is worth here, in centipawns. Below: the sums of the terms.': '棋子下方是它在此处的分值，以百分之一兵为单位。下面是各项之和。',
  'On the points: how good they are by their patterns. Below: the sums of the terms.': '各点上是按棋形计算的价值。下面是各项之和。',
  'Term': '项目', 'difference': '差', 'Sum': '合计', 'to move': '走棋方', 'other side': '对方',
  'material': '子力', 'imbalance': '子力搭配', 'placement': '位置', 'mobility': '机动', 'relations': '子间关系', 'pawns': '兵卒', 'patterns': '阵形', 'king safety': '将帅安全',
  'safety': '安全', 'threats': '威胁', 'tempo': '先手', 'king': '将帅', 'guards': '士象', 'threats together': '威胁合计', 'move': '走子权',
  'no threat': '无威胁', 'perhaps forbidden': '或为禁手', 'point with a two': '成二之点', 'double two': '双二', 'point with a closed three': '成眠三之点',
  'closed three and more': '眠三及以上', 'point with a three': '成活三之点', 'three and more': '活三及以上',
};
