/* Probes every legal position of every set of up to three pieces, by squares and by FEN, and prints FEN, result, order and
 * distance of each:
 *
 *     probe FOLDER
 *
 * The FOLDER holds the tables KvK, KRvK, KNvK, KCvK, KPvK, KAvK and KBvK. */
#include "example.h"

/* Prints the value of a position if it is legal; returns 1 if so. */
static int probe(JzTables tables, const uint8_t *board, int32_t turn)
{
    char fen[JZ_FEN_SIZE];
    JzValue value, again;
    int32_t result;
    JzStatus status = jz_tables_value(tables, board, turn, &value);
    if (status == JZ_ERROR_POSITION)
        return 0;
    expect_ok(status, "jz_tables_value");
    expect_ok(jz_board_fen(board, turn, fen, sizeof fen), "jz_board_fen");
    expect_ok(jz_tables_result_fen(tables, fen, &result), fen);
    expect_ok(jz_tables_value_fen(tables, fen, &again), fen);
    if (result != value.result || memcmp(&again, &value, sizeof value) != 0) {
        fprintf(stderr, "%s: by squares and by FEN are not the same\n", fen);
        exit(1);
    }
    printf("%s\t%d %u %u\n", fen, (int)value.result, (unsigned)value.order, (unsigned)value.distance);
    return 1;
}

/* Probes all positions of two kings on these squares, and of the same with a piece more. */
static long probe_kings(JzTables tables, int red_king, int black_king)
{
    uint8_t board[JZ_SQUARES] = {JZ_EMPTY};
    long positions = 0;
    board[red_king / 3 * 9 + 3 + red_king % 3] = JZ_KING;
    board[63 + black_king / 3 * 9 + 3 + black_king % 3] = JZ_KING + JZ_BLACK_PIECE;
    positions += probe(tables, board, JZ_RED) + probe(tables, board, JZ_BLACK);
    for (int square = 0; square < JZ_SQUARES; square++) {
        if (board[square] != JZ_EMPTY)
            continue;
        for (int piece = JZ_ROOK; piece <= JZ_ELEPHANT; piece++)
            for (int black = 0; black <= JZ_BLACK_PIECE; black += JZ_BLACK_PIECE) {
                board[square] = (uint8_t)(piece + black);
                positions += probe(tables, board, JZ_RED) + probe(tables, board, JZ_BLACK);
            }
        board[square] = JZ_EMPTY;
    }
    return positions;
}

int main(int count, char **arguments)
{
    long positions = 0;
    JzTables tables;
    if (count != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
        return 2;
    }
    tables = open_tables(arguments[1]);
    for (int red_king = 0; red_king < 9; red_king++)
        for (int black_king = 0; black_king < 9; black_king++)
            positions += probe_kings(tables, red_king, black_king);
    expect_ok(jz_tables_close(tables), "jz_tables_close");
    fprintf(stderr, "%ld positions\n", positions);
    return 0;
}
