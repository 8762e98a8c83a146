//! Suggestions for a word that is neither a command nor a move.

use super::commands::Command;
use super::setup::PlayGame;
use crate::cli::prompt::nearest;
use crate::language;

/// Words that people try for a command, in either language.
#[rustfmt::skip] // one word a line would hide which command they are for
const TRIED: [(&str, &[&str]); 27] = [
    ("back", &["return", "回去", "回到", "返回对局", "回到对局", "退出试走"]),
    ("board", &["show", "print", "display", "draw", "d", "显示", "盘面", "打印", "画图",
        "显示棋盘"]),
    ("book", &["opening", "openings", "开局", "布局", "棋库", "谱库", "库", "开局谱", "查库",
        "开局书"]),
    ("end", &["last", "final", "最后", "终局", "末尾", "最后一步", "结尾"]),
    ("eval", &["evaluate", "evaluation", "score", "value", "values", "assess", "rate", "rating",
        "static", "points", "估值", "估分", "分值", "局面分", "评分", "分数", "打分", "形势",
        "形势判断", "局势", "优劣", "评价", "估算", "评判", "判断", "评估局面", "局面评估",
        "局面估值", "局面评分", "局面評估", "局面分是多少", "局势分", "估价", "优势", "分",
        "advantage", "cp", "谁优", "谁好", "得分", "价值", "子力"]),
    ("fen", &["position", "位置", "局面串", "复制局面", "导出局面", "当前局面"]),
    ("flip", &["rotate", "reverse", "turn", "翻盘", "转盘", "反转", "旋转", "翻棋盘", "翻转棋盘",
        "换视角"]),
    ("goto", &["go", "jump", "跳转", "转到", "到", "跳", "跳至", "第"]),
    ("help", &["h", "commands", "man", "usage", "menu", "--help", "说明", "命令", "指令", "帮忙",
        "怎么用", "菜单", "用法", "救命"]),
    ("hint", &["best", "bestmove", "suggest", "advice", "advise", "analyse", "analyze", "analysis",
        "think", "engine", "建议", "支招", "支着", "推荐", "求助", "最佳", "最佳着法", "最佳走法",
        "帮我走", "教我", "思考", "分析", "怎么走", "走哪", "支一招"]),
    ("level", &["difficulty", "strength", "skill", "难度", "等级", "水平", "强度", "棋力",
        "设置难度"]),
    ("list", &["history", "record", "game", "notation", "棋谱", "记录", "历史", "记谱", "走法列表",
        "着法列表", "谱"]),
    ("moves", &["legal", "legalmoves", "走法", "合法着法", "合法走法", "可走", "招法", "所有着法"]),
    ("new", &["restart", "reset", "start", "newgame", "again", "新游戏", "重新开始", "重来", "再来",
        "再来一局", "开始", "开新局", "新对局", "重开", "重新"]),
    ("next", &["forward", "f", "前进", "下一着", "下步", "下一手", "下一"]),
    ("open", &["load", "read", "import", "载入", "读取", "读入", "加载", "读谱", "导入", "打开棋谱",
        "打谱"]),
    ("prev", &["previous", "backward", "后退", "上一着", "上步", "前一步", "上一手", "上一"]),
    ("quit", &["q", ":q", "bye", "leave", "close", "stop", "离开", "结束", "关闭", "再见", "拜拜",
        "走了", "不下了"]),
    ("redo", &["repeat", "恢复", "重做", "再走", "还原"]),
    ("resign", &["surrender", "giveup", "投降", "投子", "认负", "弃局", "我输了", "不玩了"]),
    ("save", &["write", "export", "store", "存盘", "存档", "另存", "存", "保存棋谱", "导出",
        "存谱"]),
    ("setup", &["edit", "place", "摆局", "摆谱", "摆盘", "排局", "编辑", "设置局面", "编辑局面"]),
    ("study", &["try", "variation", "variations", "explore", "研究", "变着", "试下", "试着", "推演",
        "变化", "拆棋"]),
    ("switch", &["swap", "side", "sides", "换方", "交换", "换手", "换色", "换先", "交换红黑"]),
    ("table", &["tables", "tablebase", "tablebases", "tb", "egtb", "endgame", "endgames", "残局",
        "残棋", "残局表", "表"]),
    ("undo", &["u", "takeback", "retract", "revert", "撤销", "撤回", "退回", "后悔", "回退",
        "悔一步", "悔着", "退一步", "反悔"]),
    ("why", &["rule", "rules", "reason", "verdict", "repetition", "为什么", "为何", "原因", "规则",
        "判定", "裁决", "长打", "长将", "长捉", "循环", "怎么判"]),
];

/// The command that was meant by a line, if it looks like one.
pub(crate) fn meant<G: PlayGame>(line: &str) -> Option<&'static Command<G>> {
    let word = line.trim().trim_end_matches(['?', '？', '!', '！', '。', '.', '吧', '吗', '呢']);
    let word = word.split_whitespace().next()?.to_lowercase();
    let simplified = language::simplified(&word);
    [&word, &simplified]
        .into_iter()
        .find_map(|word| tried(word).or_else(|| nearest(word, Command::ALL)))
}

/// The command for which people try a word.
fn tried<G: PlayGame>(word: &str) -> Option<&'static Command<G>> {
    let (command, _) = TRIED.into_iter().find(|(_, words)| words.contains(&word))?;
    Command::ALL.iter().find(|known| known.word == command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::play::commands::{Typed, parse};
    use juzhong::xiangqi::Position;

    fn word_meant(line: &str) -> Option<&'static str> {
        meant::<Position>(line).map(|command| command.word)
    }

    #[test]
    fn words_that_are_tried_lead_to_commands() {
        let mut all = Vec::new();
        for (command, words) in TRIED {
            for &word in words {
                // Else nobody would know.
                assert!(matches!(parse::<Position>(word), Typed::Move(_)), "{word}");
                assert_eq!(word_meant(word), Some(command), "{word}");
                all.push(word);
            }
        }
        all.sort_unstable();
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
    }

    #[test]
    fn misprints_lead_to_commands() {
        for (typed, command) in [
            ("Evla", "eval"),
            ("resing", "resign"),
            ("swich", "switch"),
            ("hlep", "help"),
            ("评古", "eval"),
            ("悔棋吧", "undo"),
            ("為什麼？", "why"),
            ("評估", "eval"),
            ("開局庫", "book"),
            ("估值?", "eval"),
        ] {
            assert_eq!(word_meant(typed), Some(command), "{typed}");
        }
        for typed in ["炮二平五", "h2e2", "C2=5", "", "x", "马八进九", "abcdefgh", "e9e8"] {
            assert_eq!(word_meant(typed), None, "{typed}");
        }
    }
}
