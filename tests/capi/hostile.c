/* Hostile callers of the C API: every wrong argument is an error value.
 *
 *     hostile TABLES BOOK SCRATCH
 *
 * TABLES holds KRvK and what it needs under the rules `check` with distances to mate, BOOK is a book of xiangqi,
 * SCRATCH an empty folder. To be compiled with AddressSanitizer. */
#include "fence.h"
#include <juzhong.h>
#include <pthread.h>
#include <stdint.h>

#define START "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
#define KRVK "3k5/9/9/9/9/9/9/9/4R4/4K4 w"

static int failures;

static void expect(JzStatus found, JzStatus expected, const char *what, int line)
{
    char message[300];
    if (found == expected)
        return;
    jz_error_message(message, sizeof message);
    printf("line %d: %s is \"%s\", expected \"%s\" (%s)\n", line, what, jz_status_text(found),
           jz_status_text(expected), message);
    failures++;
}

#define EXPECT(expected, call) expect((call), (expected), #call, __LINE__)
#define HOLDS(condition) \
    ((condition) ? (void)0 : (void)(failures++, printf("line %d: not %s\n", __LINE__, #condition)))

static JzTables open_tables(const char *folder)
{
    JzTables tables = 0;
    EXPECT(JZ_OK, jz_tables_open(&folder, 1, JZ_RULES_CHECK, JZ_METRIC_DTM, &tables));
    return tables;
}

/* Null and misaligned pointers in each place of each function. */
static void pointers(JzTables tables, JzGame game, JzBook book, const char *folder)
{
    uint8_t board[JZ_SQUARES];
    uint64_t raw[64];
    void *odd = (char *)raw + 1;
    const char *none = NULL;
    int32_t number;
    uint32_t pieces;
    size_t count;
    char text[JZ_FEN_SIZE];
    JzValue value;
    JzRootMove root;
    JzMove mv;
    JzLineEnd end;
    JzGameState state;
    JzBookMove choice;
    JzSelection selection = {0};
    const JzStatus error = JZ_ERROR_POINTER;

    EXPECT(JZ_OK, jz_board_read(START, board, &number));
    HOLDS(jz_error_message(NULL, 0) < 300 && jz_error_message(NULL, 99) < 300);
    EXPECT(error, jz_board_read(NULL, board, &number));
    EXPECT(error, jz_board_read(START, NULL, &number));
    EXPECT(error, jz_board_read(START, board, NULL));
    EXPECT(error, jz_board_read(START, board, odd));
    EXPECT(error, jz_board_fen(NULL, JZ_RED, text, sizeof text));
    EXPECT(error, jz_board_fen(board, JZ_RED, NULL, 9));
    EXPECT(JZ_ERROR_BUFFER, jz_board_fen(board, JZ_RED, NULL, 0));

    EXPECT(error, jz_tables_open(NULL, 1, JZ_RULES_CHECK, JZ_METRIC_DTM, &tables));
    EXPECT(error, jz_tables_open(&none, 1, JZ_RULES_CHECK, JZ_METRIC_DTM, &tables));
    EXPECT(error, jz_tables_open(odd, 1, JZ_RULES_CHECK, JZ_METRIC_DTM, &tables));
    EXPECT(error, jz_tables_open(&folder, 1, JZ_RULES_CHECK, JZ_METRIC_DTM, NULL));
    EXPECT(error, jz_tables_open(&folder, 1, JZ_RULES_CHECK, JZ_METRIC_DTM, odd));
    EXPECT(error, jz_tables_most_pieces(tables, NULL));
    EXPECT(error, jz_tables_most_pieces(tables, odd));
    EXPECT(JZ_OK, jz_tables_most_pieces(tables, &pieces));
    EXPECT(error, jz_tables_result_fen(tables, NULL, &number));
    EXPECT(error, jz_tables_result_fen(tables, KRVK, NULL));
    EXPECT(error, jz_tables_result(tables, NULL, JZ_RED, &number));
    EXPECT(error, jz_tables_result(tables, board, JZ_RED, NULL));
    EXPECT(error, jz_tables_value_fen(tables, NULL, &value));
    EXPECT(error, jz_tables_value_fen(tables, KRVK, odd));
    EXPECT(error, jz_tables_value(tables, NULL, JZ_RED, &value));
    EXPECT(error, jz_tables_value(tables, board, JZ_RED, NULL));
    EXPECT(error, jz_tables_moves_fen(tables, NULL, &root, 1, &count));
    EXPECT(error, jz_tables_moves_fen(tables, KRVK, NULL, 1, &count));
    EXPECT(error, jz_tables_moves_fen(tables, KRVK, odd, 1, &count));
    EXPECT(error, jz_tables_moves_fen(tables, KRVK, &root, 1, NULL));
    EXPECT(error, jz_tables_moves(tables, NULL, JZ_RED, &root, 1, &count));
    EXPECT(error, jz_tables_moves(tables, board, JZ_RED, NULL, 1, &count));
    EXPECT(error, jz_tables_moves(tables, board, JZ_RED, &root, 1, NULL));
    EXPECT(error, jz_tables_line_fen(tables, NULL, &root, 1, &count, &end));
    EXPECT(error, jz_tables_line_fen(tables, KRVK, NULL, 1, &count, &end));
    EXPECT(error, jz_tables_line_fen(tables, KRVK, &root, 1, NULL, &end));
    EXPECT(error, jz_tables_line_fen(tables, KRVK, &root, 1, &count, NULL));

    EXPECT(error, jz_game_open(START, JZ_RULES_CHECK, NULL));
    EXPECT(error, jz_game_push(game, NULL));
    EXPECT(error, jz_game_fen(game, NULL, 1));
    EXPECT(error, jz_game_board(game, NULL, &number));
    EXPECT(error, jz_game_board(game, board, NULL));
    EXPECT(error, jz_game_moves(game, NULL, 1, &count));
    EXPECT(error, jz_game_moves(game, &mv, 1, NULL));
    EXPECT(error, jz_game_state(game, NULL));
    EXPECT(JZ_OK, jz_game_state(game, &state));

    EXPECT(error, jz_book_open(NULL, &book));
    EXPECT(error, jz_book_open("book", NULL));
    EXPECT(error, jz_book_moves_fen(book, NULL, &choice, 1, &count));
    EXPECT(error, jz_book_moves_fen(book, START, NULL, 1, &count));
    EXPECT(error, jz_book_moves_fen(book, START, &choice, 1, NULL));
    EXPECT(error, jz_book_choose_fen(book, NULL, &selection, &choice));
    EXPECT(error, jz_book_choose_fen(book, START, NULL, &choice));
    EXPECT(error, jz_book_choose_fen(book, START, &selection, NULL));
    EXPECT(error, jz_book_choose_fen(book, START, odd, &choice));
}

/* Handles that never were, are of another kind, or have been closed. */
static void handles(JzTables tables, JzGame game, JzBook book, const char *folder, const char *path)
{
    const uint64_t never[] = {0, 1, 2, UINT64_MAX, tables ^ UINT64_C(1) << 63, game, book};
    int32_t number;
    size_t count;
    JzGameState state;
    JzBookMove choice;
    JzSelection selection = {0};
    JzTables closed_tables = open_tables(folder);
    JzGame closed_game, many[4100];
    JzBook closed_book;

    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        EXPECT(JZ_ERROR_HANDLE, jz_tables_close(never[i]));
        EXPECT(JZ_ERROR_HANDLE, jz_tables_result_fen(never[i], KRVK, &number));
        EXPECT(JZ_ERROR_HANDLE, jz_tables_moves_fen(never[i], KRVK, NULL, 0, &count));
    }
    EXPECT(JZ_ERROR_HANDLE, jz_game_state(tables, &state));
    EXPECT(JZ_ERROR_HANDLE, jz_game_close(book));
    EXPECT(JZ_ERROR_HANDLE, jz_book_close(game));
    EXPECT(JZ_ERROR_HANDLE, jz_book_choose_fen(tables, START, &selection, &choice));

    EXPECT(JZ_OK, jz_tables_close(closed_tables));
    EXPECT(JZ_ERROR_CLOSED, jz_tables_close(closed_tables));
    EXPECT(JZ_ERROR_CLOSED, jz_tables_result_fen(closed_tables, KRVK, &number));
    EXPECT(JZ_OK, jz_game_open(NULL, JZ_RULES_ASIAN, &closed_game));
    EXPECT(JZ_OK, jz_game_close(closed_game));
    EXPECT(JZ_ERROR_CLOSED, jz_game_close(closed_game));
    EXPECT(JZ_ERROR_CLOSED, jz_game_push(closed_game, "h2e2"));
    EXPECT(JZ_OK, jz_book_open(path, &closed_book));
    EXPECT(JZ_OK, jz_book_close(closed_book));
    EXPECT(JZ_ERROR_CLOSED, jz_book_close(closed_book));

    for (count = 0; count < 4100; count++) {
        JzStatus status = jz_game_open(NULL, JZ_RULES_NONE, &many[count]);
        if (status != JZ_OK) {
            EXPECT(JZ_ERROR_TOO_MANY, status);
            break;
        }
    }
    HOLDS(count < 4100);
    while (count > 0)
        EXPECT(JZ_OK, jz_game_close(many[--count]));
}

/* FENs of every illegal kind. */
static void fens(JzTables tables, JzBook book)
{
    static const struct {
        const char *fen;
        JzStatus status;
    } WRONG[] = {
        {"", JZ_ERROR_FEN},
        {" ", JZ_ERROR_FEN},
        {"x", JZ_ERROR_FEN},
        {"9/9/9/9/9/9/9/9/9 w", JZ_ERROR_FEN},
        {"9/9/9/9/9/9/9/9/9/9/9 w", JZ_ERROR_FEN},
        {"3k6/9/9/9/9/9/9/9/4R4/4K4 w", JZ_ERROR_FEN},
        {"3k4/9/9/9/9/9/9/9/4R4/4K4 w", JZ_ERROR_FEN},
        {"3q5/9/9/9/9/9/9/9/4R4/4K4 w", JZ_ERROR_FEN},
        {"3k5/0/9/9/9/9/9/9/4R4/4K4 w", JZ_ERROR_FEN},
        {"3k5/9/9/9/9/9/9/9/4R4/4K4 x", JZ_ERROR_FEN},
        {"3k5/9/9/9/9/9/9/9/4R4/4K4 w - - -1 1", JZ_ERROR_FEN},
        {"3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 99999999999999999999 1", JZ_ERROR_FEN},
        {"3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 0 x", JZ_ERROR_FEN},
        {"\xe5\xb8\x85/9/9/9/9/9/9/9/9/9 w", JZ_ERROR_FEN},
        {"9/9/9/9/9/9/9/9/9/9 w", JZ_ERROR_POSITION},
        {"9/9/9/9/9/9/9/9/4R4/4K4 w", JZ_ERROR_POSITION},
        {"3k5/9/9/9/9/9/9/9/3KR4/4K4 w", JZ_ERROR_POSITION},
        {"3k5/9/9/9/9/9/9/RRR6/9/4K4 w", JZ_ERROR_POSITION},
        {"3k5/9/9/9/9/9/9/9/4K4/4A4 w", JZ_ERROR_POSITION},
        {"k8/9/9/9/9/9/9/9/4R4/4K4 w", JZ_ERROR_POSITION},
        {"3k5/9/9/9/9/9/9/9/B8/4K4 w", JZ_ERROR_POSITION},
        {"3k5/9/9/9/9/9/9/9/P8/4K4 w", JZ_ERROR_POSITION},
        {"3k5/9/9/9/9/P8/P8/9/9/4K4 w", JZ_ERROR_POSITION},
        {"4k4/9/9/9/9/9/9/9/9/4K4 w", JZ_ERROR_POSITION},
        {"3k5/9/9/9/9/9/9/9/3R5/4K4 w", JZ_ERROR_POSITION},
        {"\xff", JZ_ERROR_TEXT},
        {"3k5/9/9/9/9/9/9/9/4R4/4K4 \xc3", JZ_ERROR_TEXT},
    };
    const size_t length = 257;
    char *endless = fenced(length, 1);
    int32_t number;
    uint8_t board[JZ_SQUARES];
    JzGame game;
    size_t count;
    JzValue value;

    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        size_t size = strlen(WRONG[i].fen) + 1;
        const char *fen = memcpy(fenced(size, 1), WRONG[i].fen, size);
        EXPECT(WRONG[i].status, jz_board_read(fen, board, &number));
        EXPECT(WRONG[i].status, jz_tables_result_fen(tables, fen, &number));
        EXPECT(WRONG[i].status, jz_tables_value_fen(tables, fen, &value));
        EXPECT(WRONG[i].status, jz_tables_moves_fen(tables, fen, NULL, 0, &count));
        EXPECT(WRONG[i].status, jz_game_open(fen, JZ_RULES_NONE, &game));
        EXPECT(WRONG[i].status, jz_book_moves_fen(book, fen, NULL, 0, &count));
        HOLDS(jz_error_message(NULL, 0) > 0);
    }
    memset(endless, '9', length); /* no NUL: exactly these bytes are read */
    EXPECT(JZ_ERROR_TEXT, jz_board_read(endless, board, &number));
    endless[length - 1] = 0;
    EXPECT(JZ_ERROR_FEN, jz_board_read(endless, board, &number));
    /* A legal position whose table is not there. */
    EXPECT(JZ_ERROR_MISSING, jz_tables_result_fen(tables, START, &number));
}

/* Numbers out of their ranges. */
static void numbers(JzTables tables, JzBook book, const char *folder)
{
    const char *const folders[] = {folder, folder};
    char text[JZ_FEN_SIZE];
    uint8_t *board = fenced(JZ_SQUARES, 1);
    int32_t number, turn;
    size_t count;
    JzTables opened;
    JzGame game;
    JzBookMove choice;
    JzRootMove *moves = fenced(JZ_MAX_MOVES * sizeof *moves, 8);
    const JzStatus error = JZ_ERROR_NUMBER;

    EXPECT(error, jz_tables_open(folders, 0, JZ_RULES_CHECK, JZ_METRIC_DTM, &opened));
    EXPECT(error, jz_tables_open(folders, SIZE_MAX, JZ_RULES_CHECK, JZ_METRIC_DTM, &opened));
    EXPECT(error, jz_tables_open(folders, 1, -1, JZ_METRIC_DTM, &opened));
    EXPECT(error, jz_tables_open(folders, 1, JZ_RULES_CHINESE, JZ_METRIC_DTM, &opened));
    EXPECT(error, jz_tables_open(folders, 1, JZ_RULES_CHECK, -2, &opened));
    EXPECT(error, jz_tables_open(folders, 1, JZ_RULES_CHECK, 1001, &opened));
    EXPECT(error, jz_tables_open(folders, 1, INT32_MIN, INT32_MAX, &opened));
    EXPECT(JZ_OK, jz_tables_open(folders, 2, JZ_RULES_CHECK, 1000, &opened));
    EXPECT(JZ_OK, jz_tables_close(opened));
    EXPECT(error, jz_game_open(NULL, 5, &game));
    EXPECT(error, jz_game_open(NULL, INT32_MIN, &game));

    EXPECT(JZ_OK, jz_board_read(KRVK, board, &turn));
    EXPECT(JZ_OK, jz_tables_result(tables, board, turn, &number));
    EXPECT(error, jz_tables_result(tables, board, 2, &number));
    EXPECT(error, jz_tables_result(tables, board, INT32_MIN, &number));
    board[5] = 15;
    EXPECT(error, jz_tables_result(tables, board, turn, &number));
    memset(board, 255, JZ_SQUARES);
    EXPECT(error, jz_board_fen(board, turn, text, sizeof text));
    memset(board, JZ_KING, JZ_SQUARES);
    EXPECT(JZ_ERROR_POSITION, jz_board_fen(board, turn, text, sizeof text));

    /* A capacity that no memory has: what is written is what there is. */
    EXPECT(JZ_OK, jz_tables_moves_fen(tables, KRVK, moves, SIZE_MAX, &count));
    HOLDS(count > 10 && count < JZ_MAX_MOVES);

    for (int32_t policy = -1; policy <= 5; policy++) {
        JzSelection selection = {policy, UINT32_MAX, 0, 0, UINT64_MAX};
        JzStatus expected = policy < 0 || policy > 4 ? error : JZ_OK;
        EXPECT(expected, jz_book_choose_fen(book, START, &selection, &choice));
        selection.min_games = selection.min_weight = UINT64_MAX;
        expected = expected == JZ_OK ? JZ_ERROR_NO_MOVE : error;
        EXPECT(expected, jz_book_choose_fen(book, START, &selection, &choice));
    }
    HOLDS(strcmp(jz_status_text(-1), jz_status_text(INT32_MAX)) == 0);
}

/* Buffers and arrays of every size up to what is needed. */
static void rooms(JzTables tables, JzGame game, JzBook book)
{
    size_t count, all, length;
    JzLineEnd end;
    char whole[JZ_FEN_SIZE];

    EXPECT(JZ_OK, jz_game_fen(game, whole, sizeof whole));
    length = strlen(whole);
    for (size_t size = 0; size <= length + 1; size++) {
        char *text = fenced(size, 1);
        EXPECT(size > length ? JZ_OK : JZ_ERROR_BUFFER, jz_game_fen(game, text, size));
    }
    EXPECT(JZ_ERROR_MOVE, jz_game_push(game, "炮九平九九平九炮九平九"));
    all = jz_error_message(NULL, 0);
    for (size_t size = 1; size <= all + 2; size++) {
        char *text = fenced(size, 1);
        HOLDS(jz_error_message(text, size) == all);
        HOLDS(strlen(text) < size && strlen(text) <= all);
    }

    EXPECT(JZ_ERROR_BUFFER, jz_tables_moves_fen(tables, KRVK, NULL, 0, &all));
    for (size_t size = 1; size <= all + 1; size++) {
        JzRootMove *moves = fenced(size * sizeof *moves, 8);
        EXPECT(size < all ? JZ_ERROR_BUFFER : JZ_OK, jz_tables_moves_fen(tables, KRVK, moves, size, &count));
        HOLDS(count == all);
        EXPECT(JZ_OK, jz_tables_line_fen(tables, KRVK, moves, size, &count, &end));
        HOLDS(count <= size);
    }
    EXPECT(JZ_ERROR_BUFFER, jz_game_moves(game, NULL, 0, &all));
    for (size_t size = 1; size <= all; size++) {
        JzMove *moves = fenced(size * sizeof *moves, 1);
        EXPECT(size < all ? JZ_ERROR_BUFFER : JZ_OK, jz_game_moves(game, moves, size, &count));
        HOLDS(count == all && moves[size - 1].text[4] == 0);
    }
    EXPECT(JZ_ERROR_BUFFER, jz_book_moves_fen(book, START, NULL, 0, &all));
    for (size_t size = 1; size <= all; size++) {
        JzBookMove *moves = fenced(size * sizeof *moves, 8);
        EXPECT(size < all ? JZ_ERROR_BUFFER : JZ_OK, jz_book_moves_fen(book, START, moves, size, &count));
    }
}

/* Moves that are none, and games beyond their end. */
static void moves(void)
{
    static const char *const WRONG[] = {"", "h2", "h2h2", "h2e2e2", "z9z9", "a0a9", "炮", "\xf0\x9f\x80\x84", "C2=9="};
    JzGame game;
    JzGameState state;
    size_t count;

    EXPECT(JZ_OK, jz_game_open(NULL, JZ_RULES_ASIAN, &game));
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        EXPECT(JZ_ERROR_MOVE, jz_game_push(game, WRONG[i]));
    EXPECT(JZ_ERROR_TEXT, jz_game_push(game, "\xff\xfe"));
    EXPECT(JZ_ERROR_NO_MOVE, jz_game_pop(game));
    EXPECT(JZ_OK, jz_game_push(game, "炮二平五"));
    EXPECT(JZ_ERROR_MOVE, jz_game_push(game, "h2e2"));
    EXPECT(JZ_OK, jz_game_pop(game));
    for (int i = 0; i < 100; i++) { /* far beyond the third occurrence */
        static const char *const SHUFFLE[] = {"h0g2", "h9g7", "g2h0", "g7h9"};
        EXPECT(JZ_OK, jz_game_push(game, SHUFFLE[i % 4]));
        EXPECT(JZ_OK, jz_game_state(game, &state));
        HOLDS(state.occurrences == (uint32_t)i / 4 + (i % 4 == 3) + 1);
        HOLDS((state.outcome == JZ_DRAWN) == (state.occurrences >= 3) || i % 4 != 3);
    }
    EXPECT(JZ_OK, jz_game_close(game));
    /* Mated. */
    EXPECT(JZ_OK, jz_game_open("3k1R3/4R4/9/9/9/9/9/9/9/4K4 b - - 99999 99999", JZ_RULES_CHECK, &game));
    EXPECT(JZ_OK, jz_game_state(game, &state));
    HOLDS(state.outcome == JZ_RED_WINS && strcmp(state.reason, "checkmate") == 0);
    EXPECT(JZ_OK, jz_game_moves(game, NULL, 0, &count));
    HOLDS(count == 0);
    EXPECT(JZ_OK, jz_game_close(game));
}

/* Of AddressSanitizer; GCC ships no header for it. */
extern int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                                     void (*freed)(const volatile void *));

static long allocations;

static void count_allocation(const volatile void *memory, size_t size)
{
    (void)memory;
    (void)size;
    allocations++;
}

static void ignore_free(const volatile void *memory)
{
    (void)memory;
}

/* Probes of results and values, and of positions whose table is not there, allocate nothing. */
static void nothing_is_allocated(JzTables tables)
{
    uint8_t board[JZ_SQUARES];
    int32_t turn, result;
    JzValue value;
    long before;

    EXPECT(JZ_OK, jz_board_read(KRVK, board, &turn));
    EXPECT(JZ_OK, jz_tables_value(tables, board, turn, &value)); /* reads the blocks */
    HOLDS(__sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_free) > 0);
    before = allocations;
    for (int i = 0; i < 1000; i++) {
        EXPECT(JZ_OK, jz_tables_result(tables, board, turn, &result));
        EXPECT(JZ_OK, jz_tables_result_fen(tables, KRVK " - - 12 34", &result));
        EXPECT(JZ_OK, jz_tables_value(tables, board, turn, &value));
        EXPECT(JZ_ERROR_MISSING, jz_tables_result_fen(tables, START, &result));
        EXPECT(JZ_ERROR_CLOSED, jz_tables_result_fen(tables + 1, KRVK, &result));
    }
    HOLDS(allocations == before);
    EXPECT(JZ_ERROR_FEN, jz_tables_result_fen(tables, "", &result));
    HOLDS(allocations > before); /* the message: the hook counts */
}

/* Whatever a changed file gives, it is an answer or one of these errors. */
static int is_file_error(JzStatus status)
{
    return status == JZ_ERROR_MISSING || status == JZ_ERROR_READ || status == JZ_ERROR_DAMAGED ||
           status == JZ_ERROR_FORMAT;
}

/* Probes a folder and a book; returns the number of errors of files. */
static int probe_files(const char *folder, const char *path)
{
    JzRootMove found[JZ_MAX_MOVES];
    JzBookMove chosen[JZ_MAX_MOVES];
    size_t count;
    JzTables tables;
    JzBook book;
    int errors = 0;
    JzStatus status = jz_tables_open(&folder, 1, JZ_RULES_CHECK, JZ_METRIC_DTM, &tables);
    HOLDS(status == JZ_OK || is_file_error(status));
    if (status == JZ_OK) {
        status = jz_tables_moves_fen(tables, KRVK, found, JZ_MAX_MOVES, &count);
        HOLDS(status == JZ_OK || is_file_error(status));
        EXPECT(JZ_OK, jz_tables_close(tables));
    }
    errors += status != JZ_OK;
    status = jz_book_open(path, &book);
    HOLDS(status == JZ_OK || is_file_error(status));
    if (status == JZ_OK) {
        status = jz_book_moves_fen(book, START, chosen, JZ_MAX_MOVES, &count);
        HOLDS(status == JZ_OK || is_file_error(status));
        EXPECT(JZ_OK, jz_book_close(book));
    }
    return errors + (status != JZ_OK);
}

/* Files that are missing, of other kinds, cut, or changed in one byte. */
static void files(const char *folder, const char *path, const char *scratch)
{
    static const char *const NAMES[] = {"KRvK.check.dtm.jzt", "KvK.check.dtm.jzt"};
    char table[4000], small[4000], copy[4000], source[4000];
    const char *missing = "/nowhere/at all";
    unsigned char *bytes, *book_bytes;
    size_t size, book_size;
    int errors = 0;
    JzTables tables;
    JzBook book;

    EXPECT(JZ_ERROR_MISSING, jz_tables_open(&missing, 1, JZ_RULES_CHECK, JZ_METRIC_DTM, &tables));
    EXPECT(JZ_ERROR_READ, jz_tables_open(&path, 1, JZ_RULES_CHECK, JZ_METRIC_DTM, &tables));
    EXPECT(JZ_ERROR_MISSING, jz_book_open(missing, &book));
    EXPECT(JZ_ERROR_FORMAT, jz_book_open(folder, &book));
    EXPECT(JZ_ERROR_MISSING, jz_book_open("", &book));
    EXPECT(JZ_ERROR_TEXT, jz_book_open("\xff", &book));

    snprintf(table, sizeof table, "%s/%s", scratch, NAMES[0]);
    snprintf(small, sizeof small, "%s/%s", scratch, NAMES[1]);
    snprintf(copy, sizeof copy, "%s/copy.book", scratch);
    snprintf(source, sizeof source, "%s/%s", folder, NAMES[1]);
    bytes = read_file(source, &size);
    write_file(small, bytes, size);
    free(bytes);
    snprintf(source, sizeof source, "%s/%s", folder, NAMES[0]);
    EXPECT(JZ_ERROR_FORMAT, jz_book_open(source, &book));
    bytes = read_file(source, &size);
    book_bytes = read_file(path, &book_size);
    write_file(table, bytes, size);
    write_file(copy, book_bytes, book_size);
    HOLDS(probe_files(scratch, copy) == 0);
    for (size_t i = 0; i < 200; i++) {
        size_t at = size * i / 200, book_at = book_size * i / 200;
        if (i % 4 == 0) {
            write_file(table, bytes, at);
            write_file(copy, book_bytes, book_at);
        } else {
            bytes[at] ^= 0x55;
            book_bytes[book_at] ^= 0x55;
            write_file(table, bytes, size);
            write_file(copy, book_bytes, book_size);
            bytes[at] ^= 0x55;
            book_bytes[book_at] ^= 0x55;
        }
        errors += probe_files(scratch, copy);
    }
    HOLDS(errors >= 250); /* all of the books, and of the tables those whose block is read */
    free(bytes);
    free(book_bytes);
}

/* Handles that threads use while another thread closes them and opens new ones. */
typedef struct {
    const char *folder;
    const char *path;
    uint64_t tables, game, book; /* read and written atomically */
    int stop;
    long answers, closed, others;
} Shared;

static void note(Shared *shared, JzStatus status)
{
    long *place = status == JZ_OK              ? &shared->answers
                  : status == JZ_ERROR_CLOSED ? &shared->closed
                                              : &shared->others;
    __atomic_add_fetch(place, 1, __ATOMIC_RELAXED);
}

static void *use(void *argument)
{
    Shared *shared = argument;
    while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
        JzTables tables = __atomic_load_n(&shared->tables, __ATOMIC_RELAXED);
        JzGame game = __atomic_load_n(&shared->game, __ATOMIC_RELAXED);
        JzBook book = __atomic_load_n(&shared->book, __ATOMIC_RELAXED);
        JzRootMove found[JZ_MAX_MOVES];
        JzBookMove chosen[JZ_MAX_MOVES];
        JzGameState state;
        size_t count;
        note(shared, jz_tables_moves_fen(tables, KRVK, found, JZ_MAX_MOVES, &count));
        note(shared, jz_book_moves_fen(book, START, chosen, JZ_MAX_MOVES, &count));
        note(shared, jz_game_state(game, &state));
        if (jz_game_push(game, "h2e2") == JZ_OK)
            jz_game_pop(game);
    }
    return NULL;
}

static void threads(const char *folder, const char *path)
{
    Shared shared = {folder, path, open_tables(folder), 0, 0, 0, 0, 0, 0};
    pthread_t ids[4];
    EXPECT(JZ_OK, jz_game_open(NULL, JZ_RULES_ASIAN, &shared.game));
    EXPECT(JZ_OK, jz_book_open(path, &shared.book));
    for (int i = 0; i < 4; i++)
        HOLDS(pthread_create(&ids[i], NULL, use, &shared) == 0);
    for (int i = 0; i < 300; i++) {
        JzGame game;
        JzBook book;
        JzTables tables = open_tables(folder);
        EXPECT(JZ_OK, jz_game_open(NULL, JZ_RULES_ASIAN, &game));
        EXPECT(JZ_OK, jz_book_open(path, &book));
        EXPECT(JZ_OK, jz_tables_close(shared.tables));
        EXPECT(JZ_OK, jz_game_close(shared.game));
        EXPECT(JZ_OK, jz_book_close(shared.book));
        usleep(100); /* meanwhile the threads use what has been closed */
        __atomic_store_n(&shared.tables, tables, __ATOMIC_RELAXED);
        __atomic_store_n(&shared.game, game, __ATOMIC_RELAXED);
        __atomic_store_n(&shared.book, book, __ATOMIC_RELAXED);
        usleep(2000);
    }
    __atomic_store_n(&shared.stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
    EXPECT(JZ_OK, jz_tables_close(shared.tables));
    EXPECT(JZ_OK, jz_game_close(shared.game));
    EXPECT(JZ_OK, jz_book_close(shared.book));
    HOLDS(shared.answers > 0 && shared.closed > 0 && shared.others == 0);
    printf("%ld answers and %ld times closed while handles were exchanged\n", shared.answers, shared.closed);
}

int main(int count, char **arguments)
{
    JzTables tables;
    JzGame game;
    JzBook book;
    if (count != 4) {
        fprintf(stderr, "usage: %s TABLES BOOK SCRATCH\n", arguments[0]);
        return 2;
    }
    tables = open_tables(arguments[1]);
    EXPECT(JZ_OK, jz_game_open(START, JZ_RULES_ASIAN, &game));
    EXPECT(JZ_OK, jz_book_open(arguments[2], &book));
    pointers(tables, game, book, arguments[1]);
    handles(tables, game, book, arguments[1], arguments[2]);
    fens(tables, book);
    numbers(tables, book, arguments[1]);
    rooms(tables, game, book);
    moves();
    nothing_is_allocated(tables);
    files(arguments[1], arguments[2], arguments[3]);
    threads(arguments[1], arguments[2]);
    EXPECT(JZ_OK, jz_tables_close(tables));
    EXPECT(JZ_OK, jz_game_close(game));
    EXPECT(JZ_OK, jz_book_close(book));
    printf("%d failures\n", failures);
    return failures > 0;
}
