/* juzhong.h: books, endgame tables and games of xiangqi for engines and scripts.
 *
 * Made from src/capi by cbindgen; do not edit. How to use it: docs/guide/c-api.md.
 *
 * Every function but jz_version, jz_version_text, jz_status_text and jz_error_message returns JZ_OK or an error, and
 * may be called from any thread at any time. Texts are UTF-8 and end with NUL; no function keeps a pointer.
 */

#ifndef JUZHONG_H
#define JUZHONG_H

#include <stddef.h>
#include <stdint.h>

// The version of the interface in `juzhong.h`. Functions, structures and numbers of one version stay what they are;
// additions leave the version as it is, anything else raises it.
#define JZ_ABI_VERSION 1

// The number of squares. Square `9 * rank + file`: files a to i are 0 to 8, rank 0 is Red's back rank.
#define JZ_SQUARES 90

// Red, who moves first.
#define JZ_RED 0

// Black.
#define JZ_BLACK 1

// An empty square.
#define JZ_EMPTY 0

// A king of Red's. Black's pieces are `JZ_BLACK_PIECE` more than Red's.
#define JZ_KING 1

// A rook of Red's.
#define JZ_ROOK 2

// A horse of Red's.
#define JZ_HORSE 3

// A cannon of Red's.
#define JZ_CANNON 4

// A pawn of Red's.
#define JZ_PAWN 5

// An advisor of Red's.
#define JZ_ADVISOR 6

// An elephant of Red's.
#define JZ_ELEPHANT 7

// The difference between Black's pieces and Red's.
#define JZ_BLACK_PIECE 7

// The size of a buffer that holds every FEN that the library writes, its NUL included.
#define JZ_FEN_SIZE 128

// The size of an array that holds the legal moves of every position.
#define JZ_MAX_MOVES 128

// Play goes on.
#define JZ_GOES_ON 0

// Red wins.
#define JZ_RED_WINS 1

// Black wins.
#define JZ_BLACK_WINS 2

// The game is drawn.
#define JZ_DRAWN 3

// Repetitions draw, and nothing else of the past counts.
#define JZ_RULES_NONE 0

// Perpetual check loses, other repetitions draw.
#define JZ_RULES_CHECK 1

// Perpetual check and perpetual chase lose (Asian rules).
#define JZ_RULES_ASIAN 2

// Of games only: the Asian rules as computers play them, where a loop with a check in it is no chase.
#define JZ_RULES_COMPUTER 3

// Of games only: an approximation of the Chinese rules, where any mixture of attacks loses.
#define JZ_RULES_CHINESE 4

// Distances are plies to mate.
#define JZ_METRIC_DTM 0

// Distances are plies to the next capture or mate. A metric from 1 to 1000 is the same under a limit: that many plies
// without a capture draw.
#define JZ_METRIC_DTC -1

// The side to move loses.
#define JZ_LOSS -1

// Neither side can win.
#define JZ_DRAW 0

// The side to move wins.
#define JZ_WIN 1

// The most folders that are opened as one.
#define JZ_MAX_FOLDERS 256

// The most plies of a line of best play.
#define JZ_MAX_PLIES 10000

// The line ends with mate.
#define JZ_END_MATE 0

// The line ends with stalemate, which loses.
#define JZ_END_STALEMATE 1

// The line ends with a capture, up to which distances count.
#define JZ_END_CAPTURE 2

// The last position of the line has occurred in it before.
#define JZ_END_LOOP 3

// Neither side can win.
#define JZ_END_DRAW 4

// The line has as many plies as were asked for.
#define JZ_END_LIMIT 5

// Chooses the move of the greatest assured value if the heaviest has one, else the heaviest.
#define JZ_POLICY_BEST 0

// Draws a move in proportion to the weights.
#define JZ_POLICY_WEIGHTED 1

// Draws a move by values, the better the likelier: see `temperature`.
#define JZ_POLICY_SOFTMAX 2

// Draws a move, all alike.
#define JZ_POLICY_UNIFORM 3

// Draws one of the line groups of the moves, all alike, then one of its moves by weight.
#define JZ_POLICY_GROUP 4

// Selection leaves the move out.
#define JZ_BOOK_DISABLED 1

// The move loses by the repetition rules.
#define JZ_BOOK_BANNED 2

// Endgame tables prove that the move loses.
#define JZ_BOOK_LOST 4

// Edits leave the move alone.
#define JZ_BOOK_LOCKED 8

// The move was added by hand.
#define JZ_BOOK_ADDED 16

// The outcome of a call: `JZ_OK` or one of `JZ_ERROR_…`. After an error nothing was written to the places of results,
// but for `JZ_ERROR_BUFFER`.
typedef int32_t JzStatus;

// A handle of open tables; 0 is none. Any number of threads may use it at the same time.
typedef uint64_t JzTables;

// The value of a position for the side to move, or of a move for the side that makes it.
typedef struct {
  // `JZ_WIN`, `JZ_DRAW` or `JZ_LOSS`.
  int32_t result;
  // The round of the repetition rule that decides; 0 if none is needed, and for draws. Of two wins the one of the
  // lower order is better.
  uint16_t order;
  // Plies to the end of the metric (order 0), or to the loop that decides; 0 for draws.
  uint16_t distance;
} JzValue;

// A move.
typedef struct {
  // The square that the piece leaves, 0 to 89.
  uint8_t from;
  // The square that the piece goes to, 0 to 89.
  uint8_t to;
  // The move as UCI writes it, such as `h2e2`, with NUL behind it.
  char text[6];
} JzMove;

// A move and its value for the side that makes it.
typedef struct {
  // The move.
  JzMove mv;
  // Its value; distances count from before the move.
  JzValue value;
} JzRootMove;

// The end of a line of best play.
typedef struct {
  // `JZ_END_…`.
  int32_t end;
  // The verdict on the loop at the end of the line, claimed when it is played again: `JZ_RED_WINS`,
  // `JZ_BLACK_WINS` or `JZ_DRAWN`; `JZ_GOES_ON` if there is no loop.
  int32_t verdict;
  // The index of the first move of that loop; the number of moves if there is none.
  uint32_t loop_start;
} JzLineEnd;

// A handle of a game; 0 is none. Threads that use one game at the same time wait for each other.
typedef uint64_t JzGame;

// The state of a game.
typedef struct {
  // `JZ_GOES_ON`, `JZ_RED_WINS`, `JZ_BLACK_WINS` or `JZ_DRAWN`.
  int32_t outcome;
  // How often the position has occurred since the last capture, 1 if never before.
  uint32_t occurrences;
  // Plies since the last capture.
  uint32_t quiet_plies;
  // 1 if the side to move is in check, else 0.
  uint32_t in_check;
  // The reason of the outcome, such as `checkmate` or `perpetual check`; empty while the game goes on.
  char reason[64];
} JzGameState;

// A handle of an open book; 0 is none. Threads that use one handle at the same time wait for each other: for more
// speed each thread opens the book for itself.
typedef uint64_t JzBook;

// A move that a book has for a position.
typedef struct {
  // The move.
  JzMove mv;
  // Games in which it was played.
  uint64_t games;
  // Those won by Red.
  uint64_t red_wins;
  // Those drawn.
  uint64_t draws;
  // Those won by Black. Games beyond the sum of the three have no known result.
  uint64_t black_wins;
  // Its weight in selection.
  uint64_t weight;
  // Selection prefers the highest; 0 unless one was set.
  int64_t priority;
  // Its assured value in centipawns for the side that makes it, if `has_value` is not 0.
  int32_t value;
  // 1 if scores of engines or tables assure a value, else 0.
  uint32_t has_value;
  // A sum of `JZ_BOOK_…`.
  uint32_t flags;
  // 0.
  uint32_t reserved;
} JzBookMove;

// The way to choose a move.
typedef struct {
  // `JZ_POLICY_…`.
  int32_t policy;
  // Of `JZ_POLICY_SOFTMAX`: a move that is `d` centipawns worse than the best has a chance `exp(d / temperature)`
  // times smaller. 0 for the default, 50.
  uint32_t temperature;
  // Moves of fewer games are left out, but for those added by hand.
  uint64_t min_games;
  // Moves of less weight are left out.
  uint64_t min_weight;
  // The seed of the draw: equal seeds and equal questions give equal answers.
  uint64_t seed;
} JzSelection;

// The call did what it should.
#define JZ_OK 0

// A pointer is null, or not aligned for its type.
#define JZ_ERROR_POINTER 1

// A text is not UTF-8, or longer than any text of its kind.
#define JZ_ERROR_TEXT 2

// A number is out of its range.
#define JZ_ERROR_NUMBER 3

// Not a handle of this kind.
#define JZ_ERROR_HANDLE 4

// The handle has been closed.
#define JZ_ERROR_CLOSED 5

// The caller's array or buffer is too small; it holds the first entries, and the count is that of all. A text buffer
// is left as it was.
#define JZ_ERROR_BUFFER 6

// The text is no FEN.
#define JZ_ERROR_FEN 7

// The position is not legal.
#define JZ_ERROR_POSITION 8

// The text is no move, or the move is not legal here.
#define JZ_ERROR_MOVE 9

// A file, a folder or the table of a position is not there.
#define JZ_ERROR_MISSING 10

// The system could not read a file or folder.
#define JZ_ERROR_READ 11

// A file is damaged.
#define JZ_ERROR_DAMAGED 12

// A file is of another kind, version or game.
#define JZ_ERROR_FORMAT 13

// There is no move to choose or to take back.
#define JZ_ERROR_NO_MOVE 14

// More handles of a kind are open than there can be, 4096.
#define JZ_ERROR_TOO_MANY 15

// A fault of the library; please report it. What a game or book handle stands for must be opened anew.
#define JZ_ERROR_INTERNAL 16

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the version of the interface of the library in use, to be compared with `JZ_ABI_VERSION`.
uint32_t jz_version(void);

// Returns the version of the library as text, such as `0.1.0`. The text is never freed.
const char *jz_version_text(void);

// Returns a short English text for a status; for a number that is none, too. The text is never freed.
const char *jz_status_text(JzStatus status);

// Writes the English message of the last call that failed in this thread, empty if none has, and returns its length
// in bytes without the NUL. If it does not fit into `capacity` bytes, it is cut at the end of a character. `buffer`
// may be null if `capacity` is 0.
//
// # Safety
//
// `buffer` points to `capacity` writable bytes.
size_t jz_error_message(char *buffer,
                        size_t capacity);

// Reads a FEN: the piece on each of the `JZ_SQUARES` squares of `board`, and the side to move.
//
// # Safety
//
// `fen` ends with NUL, `board` points to `JZ_SQUARES` writable bytes, `turn` is writable.
JzStatus jz_board_read(const char *fen, uint8_t *board, int32_t *turn);

// Writes the FEN of the piece on each of `JZ_SQUARES` squares and the side to move, if they are a legal position;
// `JZ_FEN_SIZE` bytes are room enough.
//
// # Safety
//
// `board` points to `JZ_SQUARES` bytes, `buffer` to `capacity` writable ones.
JzStatus jz_board_fen(const uint8_t *board,
                      int32_t turn,
                      char *buffer,
                      size_t capacity);

// Opens folders of tables as one: of tables that several of them have, those of the first count. Tables are read when
// first needed; decoded blocks take at most 128 MiB. `metric` is `JZ_METRIC_DTM`, `JZ_METRIC_DTC` or a limit of
// plies. Folders without tables of these rules and this metric are no error: see `jz_tables_most_pieces`.
//
// # Safety
//
// `folders` points to `count` texts that end with NUL, `tables` is writable.
JzStatus jz_tables_open(const char *const *folders,
                        size_t count,
                        int32_t rules,
                        int32_t metric,
                        JzTables *tables);

// Closes tables. Calls under way in other threads end as if they were open; later ones fail with `JZ_ERROR_CLOSED`.
JzStatus jz_tables_close(JzTables tables);

// States the most pieces, kings included, that any of the tables has; 0 if there are no tables.
//
// # Safety
//
// `pieces` is writable.
JzStatus jz_tables_most_pieces(JzTables tables, uint32_t *pieces);

// Looks up the result of a FEN for the side to move: `JZ_WIN`, `JZ_DRAW` or `JZ_LOSS`. The position is as if no move
// had been made: its counters do not count. Allocates nothing but for a block that is read from a file.
//
// # Safety
//
// `fen` ends with NUL, `result` is writable.
JzStatus jz_tables_result_fen(JzTables tables,
                              const char *fen,
                              int32_t *result);

// Looks up a result as `jz_tables_result_fen` does, of the piece on each of `JZ_SQUARES` squares and the side to move.
//
// # Safety
//
// `board` points to `JZ_SQUARES` bytes, `result` is writable.
JzStatus jz_tables_result(JzTables tables,
                          const uint8_t *board,
                          int32_t turn,
                          int32_t *result);

// Looks up the full value of a FEN for the side to move.
//
// # Safety
//
// `fen` ends with NUL, `value` is writable.
JzStatus jz_tables_value_fen(JzTables tables, const char *fen, JzValue *value);

// Looks up the full value of the piece on each of `JZ_SQUARES` squares and the side to move.
//
// # Safety
//
// `board` points to `JZ_SQUARES` bytes, `value` is writable.
JzStatus jz_tables_value(JzTables tables, const uint8_t *board, int32_t turn, JzValue *value);

// Looks up all legal moves of a FEN, best first: wins by order, then distance; draws; losses, the longest resistance
// first. A side that wins and always plays the first move wins: inside a loop that decides, the first move stays in
// it until the win can be claimed. None for a side that is mated or stalemated. `JZ_MAX_MOVES` are room enough.
//
// # Safety
//
// `fen` ends with NUL, `moves` points to `capacity` writable moves, `count` is writable.
JzStatus jz_tables_moves_fen(JzTables tables,
                             const char *fen,
                             JzRootMove *moves,
                             size_t capacity,
                             size_t *count);

// Looks up all legal moves as `jz_tables_moves_fen` does, of the piece on each of `JZ_SQUARES` squares and the side
// to move.
//
// # Safety
//
// `board` points to `JZ_SQUARES` bytes, `moves` to `capacity` writable moves, `count` is writable.
JzStatus jz_tables_moves(JzTables tables,
                         const uint8_t *board,
                         int32_t turn,
                         JzRootMove *moves,
                         size_t capacity,
                         size_t *count);

// Follows best play of both sides from a FEN, for as many plies as there is room for in `moves` and at most
// `JZ_MAX_PLIES`: to mate, to a capture where distances end with one, or once around the loop that decides.
//
// # Safety
//
// `fen` ends with NUL, `moves` points to `capacity` writable moves, `count` and `end` are writable.
JzStatus jz_tables_line_fen(JzTables tables,
                            const char *fen,
                            JzRootMove *moves,
                            size_t capacity,
                            size_t *count,
                            JzLineEnd *end);

// Begins a game at a FEN, with its counters, or at the start of a game if `fen` is null, under the rules
// `JZ_RULES_…`. All but `JZ_RULES_NONE` draw after 60 moves of each side without a capture.
//
// # Safety
//
// `fen` is null or ends with NUL, `game` is writable.
JzStatus jz_game_open(const char *fen, int32_t rules, JzGame *game);

// Closes a game. Calls under way in other threads end as if it were open; later ones fail with `JZ_ERROR_CLOSED`.
JzStatus jz_game_close(JzGame game);

// Plays a legal move, in any notation: `h2e2`, `H2-E2`, `C2=5` or `炮二平五`. The rules may have ended the game: it
// can go on nevertheless, as long as there are moves.
//
// # Safety
//
// `text` ends with NUL.
JzStatus jz_game_push(JzGame game,
                      const char *text);

// Takes the last move back; `JZ_ERROR_NO_MOVE` at the start.
JzStatus jz_game_pop(JzGame game);

// Writes the FEN of a game's position, with its counters; `JZ_FEN_SIZE` bytes are room enough.
//
// # Safety
//
// `buffer` points to `capacity` writable bytes.
JzStatus jz_game_fen(JzGame game, char *buffer, size_t capacity);

// Writes the piece on each of the `JZ_SQUARES` squares of a game's position, and the side to move.
//
// # Safety
//
// `board` points to `JZ_SQUARES` writable bytes, `turn` is writable.
JzStatus jz_game_board(JzGame game, uint8_t *board, int32_t *turn);

// Lists the legal moves of a game's position; `JZ_MAX_MOVES` are room enough.
//
// # Safety
//
// `moves` points to `capacity` writable moves, `count` is writable.
JzStatus jz_game_moves(JzGame game, JzMove *moves, size_t capacity, size_t *count);

// Judges a game by its rules: mate, stalemate, the third occurrence of a position, moves without a capture, and
// pieces with which nobody can win.
//
// # Safety
//
// `state` is writable.
JzStatus jz_game_state(JzGame game,
                       JzGameState *state);

// Opens a book of xiangqi made by `juzhong book build`, and compares the file with its digest.
//
// # Safety
//
// `path` ends with NUL, `book` is writable.
JzStatus jz_book_open(const char *path, JzBook *book);

// Closes a book. Calls under way in other threads end as if it were open; later ones fail with `JZ_ERROR_CLOSED`.
JzStatus jz_book_close(JzBook book);

// Looks up the moves that a book has for a FEN, those of most games first; none is no error. `JZ_MAX_MOVES` are room
// enough.
//
// # Safety
//
// `fen` ends with NUL, `moves` points to `capacity` writable moves, `count` is writable.
JzStatus jz_book_moves_fen(JzBook book,
                           const char *fen,
                           JzBookMove *moves,
                           size_t capacity,
                           size_t *count);

// Chooses one of the moves that a book has for a FEN. Disabled, banned and lost moves are left out, and of the rest
// all but those of the highest priority; `JZ_ERROR_NO_MOVE` if none is left, or a weight of 0 was set for all. The past
// of the game is not known here: whether the move loses by repetition, the caller finds out by `jz_game_push` and
// `jz_game_state`.
//
// # Safety
//
// `fen` ends with NUL, `selection` points to a selection, `choice` is writable.
JzStatus jz_book_choose_fen(JzBook book,
                            const char *fen,
                            const JzSelection *selection,
                            JzBookMove *choice);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* JUZHONG_H */
