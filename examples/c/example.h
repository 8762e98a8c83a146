/* What the examples share: stopping at an error, random numbers, random positions of a set of pieces. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <juzhong.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program with the library's message if a call failed. */
static inline void expect_ok(JzStatus status, const char *what)
{
    if (status != JZ_OK) {
        char message[512];
        jz_error_message(message, sizeof message);
        fprintf(stderr, "%s: %s\n", what, message);
        exit(1);
    }
}

/* Opens a folder of tables of the rules `check` with distances to mate. */
static inline JzTables open_tables(const char *folder)
{
    JzTables tables;
    if (jz_version() != JZ_ABI_VERSION) {
        fprintf(stderr, "the library has interface %u, this program expects %u\n", (unsigned)jz_version(),
                (unsigned)JZ_ABI_VERSION);
        exit(1);
    }
    expect_ok(jz_tables_open(&folder, 1, JZ_RULES_CHECK, JZ_METRIC_DTM, &tables), folder);
    return tables;
}

/* A random number below `bound` (splitmix64). */
static inline unsigned random_below(uint64_t *state, unsigned bound)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ z >> 31) % bound);
}

/* Puts the pieces of a set such as KRCvKR on random squares, the first side's being Red's, and draws the side to move.
 * The position need not be legal. */
static inline void draw_board(const char *set, uint64_t *state, uint8_t board[JZ_SQUARES], int32_t *turn)
{
    static const char LETTERS[] = "KRNCPAB";
    int black = 0;
    memset(board, JZ_EMPTY, JZ_SQUARES);
    for (; *set; set++) {
        const char *letter = strchr(LETTERS, *set);
        unsigned square;
        if (*set == 'v') {
            black = JZ_BLACK_PIECE;
            continue;
        }
        if (!letter) {
            fprintf(stderr, "no piece '%c'\n", *set);
            exit(2);
        }
        do {
            square = random_below(state, JZ_SQUARES);
            if (letter == LETTERS) /* a king stays in its palace */
                square = (black ? 63 + square % 27 : square % 27) / 9 * 9 + 3 + square % 3;
        } while (board[square] != JZ_EMPTY);
        board[square] = (uint8_t)(JZ_KING + (letter - LETTERS) + black);
    }
    *turn = (int32_t)random_below(state, 2);
}

#endif
