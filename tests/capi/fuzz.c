/* Fuzzing of the C API by libFuzzer: the first byte of an input chooses what the others are.
 *
 *     JZ_TABLES=FOLDER JZ_BOOK=FILE JZ_SCRATCH=FOLDER fuzz CORPUS -max_len=600
 *
 * The folders and the file are as for hostile.c. Texts and results lie in memory of exactly their size, so that AddressSanitizer
 * sees a byte beyond them. */
#include "fence.h"
#include <juzhong.h>
#include <stdint.h>

static JzTables tables;
static JzBook book;
static const char *scratch;
static char table_copy[4000], book_copy[4000];
static unsigned char *table_bytes, *book_bytes;
static size_t table_size, book_size;

/* What no call may answer: a fault of the library, or a number that is no status. */
static JzStatus sound(JzStatus status)
{
    if (status < JZ_OK || status >= JZ_ERROR_INTERNAL)
        abort();
    return status;
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    const char *folder = getenv("JZ_TABLES"), *path = getenv("JZ_BOOK");
    char name[4000];
    (void)count;
    (void)arguments;
    scratch = getenv("JZ_SCRATCH");
    if (!folder || !path || !scratch ||
        jz_tables_open(&folder, 1, JZ_RULES_CHECK, JZ_METRIC_DTM, &tables) != JZ_OK ||
        jz_book_open(path, &book) != JZ_OK) {
        fprintf(stderr, "set JZ_TABLES to a folder of tables, JZ_BOOK to a book, JZ_SCRATCH to an empty folder\n");
        exit(2);
    }
    snprintf(name, sizeof name, "%s/KRvK.check.dtm.jzt", folder);
    table_bytes = read_file(name, &table_size);
    book_bytes = read_file(path, &book_size);
    snprintf(table_copy, sizeof table_copy, "%s/KRvK.check.dtm.jzt", scratch);
    snprintf(book_copy, sizeof book_copy, "%s/copy.book", scratch);
    return 0;
}

/* The bytes as a text that ends with NUL; freed by the caller. */
static char *text_of(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        exit(2);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = 0;
    return text;
}

/* A text as position, for everything that takes one; `room` is the size of arrays. */
static void as_fen(const uint8_t *data, size_t size, size_t room)
{
    char *fen = text_of(data, size), *out = malloc(room + 1);
    uint8_t board[JZ_SQUARES];
    int32_t turn, result;
    size_t count;
    JzValue value;
    JzLineEnd end;
    JzRootMove *moves = malloc((room + 1) * sizeof *moves);
    JzBookMove *found = malloc((room + 1) * sizeof *found);
    if (!out || !moves || !found)
        exit(2);
    if (sound(jz_board_read(fen, board, &turn)) == JZ_OK) {
        sound(jz_board_fen(board, turn, out, room));
        if (sound(jz_tables_result(tables, board, turn, &result)) == JZ_OK) {
            JzStatus status = sound(jz_tables_value(tables, board, turn, &value));
            /* The distance may need a smaller table that the result did not. */
            if (status == JZ_OK ? value.result != result : status != JZ_ERROR_MISSING)
                abort();
        }
    }
    sound(jz_tables_result_fen(tables, fen, &result));
    sound(jz_tables_moves_fen(tables, fen, moves, room, &count));
    sound(jz_tables_line_fen(tables, fen, moves, room, &count, &end));
    sound(jz_book_moves_fen(book, fen, found, room, &count));
    jz_error_message(out, room);
    free(fen);
    free(out);
    free(moves);
    free(found);
}

/* The bytes as a board. */
static void as_board(const uint8_t *data, size_t size)
{
    uint8_t *board = malloc(JZ_SQUARES);
    char out[JZ_FEN_SIZE];
    int32_t result;
    if (!board)
        exit(2);
    memset(board, JZ_EMPTY, JZ_SQUARES);
    memcpy(board, data, size < JZ_SQUARES ? size : JZ_SQUARES);
    for (int32_t turn = -1; turn <= 2; turn++) {
        sound(jz_board_fen(board, turn, out, sizeof out));
        sound(jz_tables_result(tables, board, turn, &result));
    }
    free(board);
}

/* Few pieces on squares that the bytes state, so that tables have an answer. */
static void as_pieces(const uint8_t *data, size_t size)
{
    uint8_t board[JZ_SQUARES] = {JZ_EMPTY};
    char fen[JZ_FEN_SIZE];
    board[size > 0 ? 3 + data[0] % 3 + data[0] / 3 % 3 * 9 : 4] = JZ_KING;
    board[size > 1 ? 66 + data[1] % 3 + data[1] / 3 % 3 * 9 : 84] = JZ_KING + JZ_BLACK_PIECE;
    for (size_t i = 2; i + 1 < size && i < 8; i += 2)
        board[data[i] % JZ_SQUARES] = (uint8_t)(data[i + 1] % 15);
    if (sound(jz_board_fen(board, size > 2 ? data[2] % 2 : 0, fen, sizeof fen)) == JZ_OK)
        as_fen((const uint8_t *)fen, strlen(fen), 1 + size % 40);
}

/* A game: a FEN up to the first NUL, then texts of moves and numbers of legal moves. */
static void as_game(const uint8_t *data, size_t size)
{
    JzGame game;
    JzGameState state;
    JzMove legal[JZ_MAX_MOVES];
    size_t count, at = 0;
    int32_t rules = size > 0 ? data[0] % 6 : 0;
    char *fen = text_of(data, size);
    JzStatus status = sound(jz_game_open(size > 1 && data[1] ? fen + 1 : NULL, rules, &game));
    at = strlen(fen) + 1;
    free(fen);
    while (status == JZ_OK && at < size) {
        char now[JZ_FEN_SIZE];
        if (sound(jz_game_moves(game, legal, JZ_MAX_MOVES, &count)) != JZ_OK)
            abort();
        if (data[at] == 0) {
            char *text = text_of(data + at, size - at < 12 ? size - at : 12);
            sound(jz_game_push(game, text + 1));
            free(text);
            at += 12;
        } else if (data[at] == 1) {
            sound(jz_game_pop(game));
        } else if (count > 0 && jz_game_push(game, legal[data[at] % count].text) != JZ_OK) {
            abort();
        }
        at++;
        if (sound(jz_game_state(game, &state)) != JZ_OK || jz_game_fen(game, now, sizeof now) != JZ_OK)
            abort();
    }
    if (status == JZ_OK && jz_game_close(game) != JZ_OK)
        abort();
    if (jz_game_state(game, &state) == JZ_OK)
        abort();
}

/* A file with some bytes changed, three of the input for each: place and value. */
static void write_changed(const char *path, unsigned char *bytes, size_t size, const uint8_t *data, size_t changes)
{
    unsigned char *copy = malloc(size);
    if (!copy)
        exit(2);
    memcpy(copy, bytes, size);
    for (size_t i = 0; i + 2 < changes; i += 3)
        copy[((size_t)data[i] << 8 | data[i + 1]) % size] = data[i + 2];
    write_file(path, copy, changes % 3 == 1 ? size * data[0] / 256 : size);
    free(copy);
}

static void as_table(const uint8_t *data, size_t size)
{
    JzTables changed;
    JzRootMove moves[JZ_MAX_MOVES];
    size_t count;
    write_changed(table_copy, table_bytes, table_size, data, size);
    if (sound(jz_tables_open(&scratch, 1, JZ_RULES_CHECK, JZ_METRIC_DTM, &changed)) != JZ_OK)
        return;
    sound(jz_tables_moves_fen(changed, "3k5/9/9/9/9/9/9/9/4R4/4K4 w", moves, JZ_MAX_MOVES, &count));
    if (jz_tables_close(changed) != JZ_OK)
        abort();
}

static void as_book(const uint8_t *data, size_t size)
{
    JzBook changed;
    JzSelection selection = {0};
    JzBookMove choice;
    write_changed(book_copy, book_bytes, book_size, data, size);
    if (sound(jz_book_open(book_copy, &changed)) != JZ_OK)
        return;
    selection.policy = size > 0 ? data[0] : 0;
    sound(jz_book_choose_fen(changed, "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w", &selection,
                             &choice));
    if (jz_book_close(changed) != JZ_OK)
        abort();
}

/* Eight bytes as a handle of every kind. */
static void as_handle(const uint8_t *data, size_t size)
{
    uint64_t handle = 0;
    uint32_t pieces;
    JzGameState state;
    JzBookMove choice;
    JzSelection selection = {0};
    memcpy(&handle, data, size < sizeof handle ? size : sizeof handle);
    if (handle == tables || handle == book)
        return;
    if (!sound(jz_tables_most_pieces(handle, &pieces)) || !sound(jz_tables_close(handle)) ||
        !sound(jz_game_state(handle, &state)) || !sound(jz_game_close(handle)) || !sound(jz_book_close(handle)) ||
        !sound(jz_book_choose_fen(handle, "3k5/9/9/9/9/9/9/9/4R4/4K4 w", &selection, &choice)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t kind;
    if (size == 0)
        return 0;
    kind = data[0];
    data++;
    size--;
    switch (kind % 8) {
    case 0:
        as_fen(data, size, kind / 8 * 4);
        break;
    case 1:
        as_board(data, size);
        break;
    case 2:
    case 3:
        as_pieces(data, size);
        break;
    case 4:
        as_game(data, size);
        break;
    case 5:
        as_table(data, size);
        break;
    case 6:
        as_book(data, size);
        break;
    default:
        as_handle(data, size);
    }
    return 0;
}
