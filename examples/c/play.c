/* Plays won positions to their end, asking the library alone: both sides play the best move of the tables, and the
 * rules judge the game.
 *
 *     play FOLDER SEED GAMES SET...
 *
 * Draws GAMES positions of each SET that one side wins, every second one of them, where there are such, by the
 * repetition rule alone. Ends with 1 if a game is not won by the side that the tables say. */
#include "example.h"

/* Positions drawn until one is won by the repetition rule; where such are rarer, any won position will do. */
#define TRIES_BY_RULE 20000
/* Positions drawn until one is won at all. */
#define TRIES 1000000
/* The most plies of a game. */
#define MAX_PLIES 1000

/* Draws a position that is won by the repetition rule, or one that is won in any way. */
static JzValue draw_won(JzTables tables, const char *set, int by_rule, uint64_t *state, char fen[JZ_FEN_SIZE])
{
    for (long tries = 0; tries < (by_rule ? TRIES_BY_RULE : TRIES); tries++) {
        uint8_t board[JZ_SQUARES];
        int32_t turn;
        JzValue value;
        JzStatus status;
        draw_board(set, state, board, &turn);
        status = jz_tables_value(tables, board, turn, &value);
        if (status == JZ_ERROR_POSITION)
            continue;
        expect_ok(status, set);
        if (value.result == JZ_DRAW || (by_rule && value.order == 0))
            continue;
        expect_ok(jz_board_fen(board, turn, fen, JZ_FEN_SIZE), "jz_board_fen");
        return value;
    }
    if (by_rule)
        return draw_won(tables, set, 0, state, fen);
    fprintf(stderr, "%s: no won position found\n", set);
    exit(1);
}

/* Plays the best moves of both sides until the rules end the game. */
static JzGameState play(JzTables tables, const char *fen, long *plies)
{
    JzGame game;
    JzGameState state;
    expect_ok(jz_game_open(fen, JZ_RULES_CHECK, &game), fen);
    expect_ok(jz_game_state(game, &state), fen);
    for (*plies = 0; state.outcome == JZ_GOES_ON && *plies < MAX_PLIES; ++*plies) {
        JzRootMove moves[JZ_MAX_MOVES];
        size_t count;
        char now[JZ_FEN_SIZE];
        expect_ok(jz_game_fen(game, now, sizeof now), fen);
        expect_ok(jz_tables_moves_fen(tables, now, moves, JZ_MAX_MOVES, &count), now);
        expect_ok(jz_game_push(game, moves[0].mv.text), now);
        expect_ok(jz_game_state(game, &state), now);
    }
    expect_ok(jz_game_close(game), fen);
    return state;
}

int main(int count, char **arguments)
{
    uint64_t state;
    long wrong = 0;
    JzTables tables;
    if (count < 5) {
        fprintf(stderr, "usage: %s FOLDER SEED GAMES SET...\n", arguments[0]);
        return 2;
    }
    tables = open_tables(arguments[1]);
    state = strtoull(arguments[2], NULL, 10);
    for (int set = 4; set < count; set++) {
        long games = strtol(arguments[3], NULL, 10), mates = 0, claims = 0, longest = 0;
        for (long number = 0; number < games; number++) {
            char fen[JZ_FEN_SIZE];
            long plies;
            JzValue value = draw_won(tables, arguments[set], (int)(number % 2), &state, fen);
            int red_to_move = strstr(fen, " w ") != NULL;
            int red_wins = red_to_move == (value.result == JZ_WIN);
            JzGameState end = play(tables, fen, &plies);
            if (end.outcome != (red_wins ? JZ_RED_WINS : JZ_BLACK_WINS)) {
                printf("%s\t%s after %ld plies, but the tables say %d of order %u in %u plies\n", fen,
                       end.reason[0] ? end.reason : "no end", plies, (int)value.result, (unsigned)value.order,
                       (unsigned)value.distance);
                wrong++;
            } else if (strcmp(end.reason, "checkmate") == 0 || strcmp(end.reason, "stalemate") == 0) {
                mates++;
            } else {
                claims++;
            }
            longest = plies > longest ? plies : longest;
        }
        printf("%s: %ld games, %ld won by mate or stalemate, %ld by repetition, the longest of %ld plies\n",
               arguments[set], games, mates, claims, longest);
    }
    expect_ok(jz_tables_close(tables), "jz_tables_close");
    return wrong > 0;
}
