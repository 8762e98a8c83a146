/* Measures probes per second with one and two threads, by squares and by FEN: by the clock, and by the processor time
 * of the threads, which other work on the machine does not reduce.
 *
 *     speed FOLDER SECONDS SET... */
#define _POSIX_C_SOURCE 200809L
#include "example.h"
#include <pthread.h>
#include <time.h>

#define POSITIONS 4096

/* Positions to probe, the same for all threads. */
static uint8_t boards[POSITIONS][JZ_SQUARES];
static int32_t turns[POSITIONS];
static char fens[POSITIONS][JZ_FEN_SIZE];

typedef enum { RESULT, RESULT_FEN, VALUE, KINDS } Kind;
static const char *const NAMES[KINDS] = {"results by squares", "results by FEN", "full values by squares"};

/* The work of a thread. */
typedef struct {
    JzTables tables;
    Kind kind;
    double seconds;
    double rate;
    double processor_rate;
} Work;

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void probe(const Work *work, int i)
{
    int32_t result;
    JzValue value;
    switch (work->kind) {
    case RESULT:
        expect_ok(jz_tables_result(work->tables, boards[i], turns[i], &result), "jz_tables_result");
        break;
    case RESULT_FEN:
        expect_ok(jz_tables_result_fen(work->tables, fens[i], &result), fens[i]);
        break;
    default:
        expect_ok(jz_tables_value(work->tables, boards[i], turns[i], &value), "jz_tables_value");
    }
}

static void *run(void *argument)
{
    Work *work = argument;
    double begin, end, processor;
    long probes = 0;
    for (int i = 0; i < POSITIONS; i++) /* reads the blocks */
        probe(work, i);
    begin = now(CLOCK_MONOTONIC);
    processor = now(CLOCK_THREAD_CPUTIME_ID);
    do {
        for (int i = 0; i < POSITIONS; i++)
            probe(work, i);
        probes += POSITIONS;
        end = now(CLOCK_MONOTONIC);
    } while (end - begin < work->seconds);
    work->rate = (double)probes / (end - begin);
    work->processor_rate = (double)probes / (now(CLOCK_THREAD_CPUTIME_ID) - processor);
    return NULL;
}

static void measure(JzTables tables, Kind kind, double seconds, int threads)
{
    pthread_t ids[2];
    Work works[2];
    double rate = 0, processor_rate = 0;
    for (int i = 0; i < threads; i++) {
        works[i] = (Work){tables, kind, seconds, 0, 0};
        if (pthread_create(&ids[i], NULL, run, &works[i]) != 0)
            exit(1);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        rate += works[i].rate;
        processor_rate += works[i].processor_rate;
    }
    printf("%s, %d thread%s: %.0f a second; by processor time %.0f\n", NAMES[kind], threads, threads > 1 ? "s" : "",
           rate, processor_rate);
}

int main(int count, char **arguments)
{
    JzTables tables;
    uint64_t state = 1;
    if (count < 4) {
        fprintf(stderr, "usage: %s FOLDER SECONDS SET...\n", arguments[0]);
        return 2;
    }
    tables = open_tables(arguments[1]);
    for (int i = 0; i < POSITIONS; i++) {
        const char *set = arguments[3 + i % (count - 3)];
        do
            draw_board(set, &state, boards[i], &turns[i]);
        while (jz_board_fen(boards[i], turns[i], fens[i], JZ_FEN_SIZE) != JZ_OK);
    }
    for (int kind = RESULT; kind < KINDS; kind++)
        for (int threads = 1; threads <= 2; threads++)
            measure(tables, (Kind)kind, strtod(arguments[2], NULL), threads);
    expect_ok(jz_tables_close(tables), "jz_tables_close");
    return 0;
}
