/* Bounding volume hierarchies by the binned surface area heuristic (Wald 2007). */
#ifndef BVH_H
#define BVH_H
#include <math.h>
#include <stdint.h>

/* A leaf holds items [first, first + count) of the build's order; an inner node (count 0) has children first, first + 1. */
typedef struct { float lo[3]; int32_t first; float hi[3]; int32_t count; } Node;

enum { BVH_BINS = 12, BVH_LEAF = 4, BVH_DEPTH = 60 };

static inline void bvh_grow(float lo[3], float hi[3], const float *box) {
  for (int j = 0; j < 3; j++) { lo[j] = fminf(lo[j], box[j]); hi[j] = fmaxf(hi[j], box[3 + j]); }
}

static inline float bvh_area(const float lo[3], const float hi[3]) {
  float x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
  return x < 0 ? 0 : x * y + y * z + z * x;
}

/* Splits order[first, last) along the cheapest of 3 x (BVH_BINS - 1) planes; returns the first index of the right half. */
static int bvh_split(const float *boxes, int32_t *order, int first, int last) {
  float clo[3] = { 1e30f, 1e30f, 1e30f }, chi[3] = { -1e30f, -1e30f, -1e30f };
  for (int i = first; i < last; i++) {
    const float *b = boxes + 6 * order[i];
    float c[6]; for (int j = 0; j < 3; j++) c[j] = c[3 + j] = b[j] + b[3 + j];
    bvh_grow(clo, chi, c);
  }
  float best = 1e30f, at = 0; int axis = -1;
  for (int j = 0; j < 3; j++) {
    if (chi[j] - clo[j] < 1e-9f) continue;
    struct { float lo[3], hi[3]; int n; } bin[BVH_BINS];
    for (int k = 0; k < BVH_BINS; k++) { bin[k].n = 0; for (int a = 0; a < 3; a++) { bin[k].lo[a] = 1e30f; bin[k].hi[a] = -1e30f; } }
    float scale = BVH_BINS * .9999f / (chi[j] - clo[j]);
    for (int i = first; i < last; i++) {
      const float *b = boxes + 6 * order[i]; int k = (int)((b[j] + b[3 + j] - clo[j]) * scale);
      bin[k].n++; bvh_grow(bin[k].lo, bin[k].hi, b);
    }
    float right[BVH_BINS], lo[3] = { 1e30f, 1e30f, 1e30f }, hi[3] = { -1e30f, -1e30f, -1e30f }; int n = 0;
    for (int k = BVH_BINS - 1; k > 0; k--) {
      for (int a = 0; a < 3; a++) { lo[a] = fminf(lo[a], bin[k].lo[a]); hi[a] = fmaxf(hi[a], bin[k].hi[a]); }
      right[k] = bvh_area(lo, hi) * (n += bin[k].n);
    }
    n = 0; for (int a = 0; a < 3; a++) { lo[a] = 1e30f; hi[a] = -1e30f; }
    for (int k = 0; k < BVH_BINS - 1; k++) {
      for (int a = 0; a < 3; a++) { lo[a] = fminf(lo[a], bin[k].lo[a]); hi[a] = fmaxf(hi[a], bin[k].hi[a]); }
      n += bin[k].n;
      float cost = bvh_area(lo, hi) * n + right[k + 1];
      if (n > 0 && n < last - first && cost < best) { best = cost; axis = j; at = clo[j] + (k + 1) / scale; }
    }
  }
  if (axis < 0) return (first + last) / 2;
  int m = first;
  for (int i = first; i < last; i++) {
    const float *b = boxes + 6 * order[i];
    if (b[axis] + b[3 + axis] < at) { int32_t s = order[i]; order[i] = order[m]; order[m++] = s; }
  }
  return m > first && m < last ? m : (first + last) / 2;
}

static void bvh_node(const float *boxes, int32_t *order, int first, int last, Node *nodes, int at, int *used, int depth) {
  Node *n = nodes + at;
  for (int j = 0; j < 3; j++) { n->lo[j] = 1e30f; n->hi[j] = -1e30f; }
  for (int i = first; i < last; i++) bvh_grow(n->lo, n->hi, boxes + 6 * order[i]);
  n->first = first; n->count = last - first;
  if (n->count <= BVH_LEAF || depth == 0) return;
  int mid = bvh_split(boxes, order, first, last), left = *used;
  n->first = left; n->count = 0; *used += 2;
  bvh_node(boxes, order, first, mid, nodes, left, used, depth - 1);
  bvh_node(boxes, order, mid, last, nodes, left + 1, used, depth - 1);
}

/* boxes: n x (lo, hi); order: n, filled; nodes: room for 2 n.  Returns the number of nodes; the root is node 0. */
static int bvh_build(int n, const float *boxes, int32_t *order, Node *nodes) {
  int used = 1;
  for (int i = 0; i < n; i++) order[i] = i;
  bvh_node(boxes, order, 0, n, nodes, 0, &used, BVH_DEPTH);
  return used;
}
#endif
