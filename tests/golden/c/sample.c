/* A ring buffer. */
#include <stdint.h>
#include "ring.h"

#define RING_SIZE 64
#define RING_NEXT(i) (((i) + 1) % RING_SIZE)
#define RING_EACH(ring, item)                 \
    for (item = (ring)->head;                 \
         item != (ring)->tail;                \
         item = RING_NEXT(item))

typedef struct {
    uint8_t data[RING_SIZE];
    int head, tail;
} ring_t;

struct node {
    struct node *next;
    int value;
};

typedef int (*compare_fn)(const void *, const void *);

enum state { EMPTY, FULL };

static const char *const names[] = {
    "empty",
    "full",
};

int ring_push(ring_t *ring, uint8_t byte);

/*
 * Takes the oldest byte,
 * or -1 when there is none.
 */
static inline int
ring_pop(ring_t *ring)
{
    if (ring->head == ring->tail)
        return -1;
    int byte = ring->data[ring->head];
    ring->head = RING_NEXT(ring->head);
    return byte;
}

compare_fn *choose(int which) { return &table[which]; }

#ifdef FAST
int checksum_fast(const uint8_t *p)
#else
int checksum_slow(const uint8_t *p)
#endif
{
    int sum = 0;
    while (*p) sum += *p++;
    return sum;
}

DEFINE_HANDLER(timer)
{
    ring_push(&events, 1);
}

int old_style(a, b)
    int a;
    char *b;
{
    return a + *b;
}
