/* Shows the moves of an opening book for a position, and which of them each policy chooses.
 *
 *     book FILE [FEN] */
#include "example.h"

int main(int count, char **arguments)
{
    static const char *const POLICIES[] = {"best", "weighted", "softmax", "uniform", "group"};
    const char *fen = count > 2 ? arguments[2] : "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
    JzBook book;
    JzBookMove moves[JZ_MAX_MOVES];
    size_t found;
    if (count < 2) {
        fprintf(stderr, "usage: %s FILE [FEN]\n", arguments[0]);
        return 2;
    }
    expect_ok(jz_book_open(arguments[1], &book), "jz_book_open");
    expect_ok(jz_book_moves_fen(book, fen, moves, JZ_MAX_MOVES, &found), fen);
    for (size_t i = 0; i < found; i++)
        printf("%s  %llu games: +%llu =%llu -%llu for Red, weight %llu\n", moves[i].mv.text,
               (unsigned long long)moves[i].games, (unsigned long long)moves[i].red_wins,
               (unsigned long long)moves[i].draws, (unsigned long long)moves[i].black_wins,
               (unsigned long long)moves[i].weight);
    for (int policy = JZ_POLICY_BEST; policy <= JZ_POLICY_GROUP; policy++) {
        JzSelection selection = {0};
        JzBookMove choice;
        JzStatus status;
        selection.policy = policy;
        selection.seed = 1;
        status = jz_book_choose_fen(book, fen, &selection, &choice);
        if (status == JZ_ERROR_NO_MOVE) {
            printf("%s: none\n", POLICIES[policy]);
            continue;
        }
        expect_ok(status, POLICIES[policy]);
        printf("%s: %s\n", POLICIES[policy], choice.mv.text);
    }
    expect_ok(jz_book_close(book), "jz_book_close");
    return 0;
}
