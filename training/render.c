/* Ray caster for depth scenes: triangle meshes and unit balls under affine instances, textures with mip levels and
   alpha, point lights and suns with soft shadows, ambient occlusion and one mirror bounce, under a panorama.
   World: meters, y up.  The layouts below are mirrored by the dtypes of renderer.py. */
#include <stdlib.h>
#include <string.h>
#include "bvh.h"

enum { TEXTURE = 256, LEVELS = 8, STACK = 2 * BVH_DEPTH };
enum { ALPHA = 1, METRIC = 2 };           /* cut out by the texture's alpha; texture laid in meters along the nearest axis */
enum { BALL = -1 };                       /* an instance's mesh: the unit ball instead of triangles */

typedef struct { float p[3], a[3], b[3], normal[3][3], uv[3][2]; int32_t slot; } Triangle;   /* p, p + a, p + b */
typedef struct { float rgb[3], scale, gloss, mirror, glow; int32_t texture, flags; } Material;
typedef struct { float to_world[12], to_local[12], size[3]; int32_t mesh, material; } Instance;
typedef struct { float at[3], rgb[3], radius; int32_t sun; } Light;                          /* sun: at is a direction */
typedef struct { float eye[3], right[3], up[3], forward[3]; int32_t width, height; } Camera; /* right, up: half extents at unit depth */
typedef struct { const float *rgb; int32_t width, height; float ambient[3], reach; } Sky;    /* reach of the occlusion rays */

typedef struct {
  const Triangle *triangles; const Node *mesh_nodes; const int32_t *mesh_root;
  const uint8_t *textures;                /* RGBA, all levels of a texture after one another */
  const Material *materials; const Instance *instances; int count;
  Node *nodes; int32_t *order;
} World;

typedef struct { float t, u, v; int instance, triangle; } Hit;
typedef struct { float normal[3], uv[2], uv_per_metre; const Material *material; int face; } Surface;

static inline float dot(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void cross(const float *a, const float *b, float *o) {
  o[0] = a[1] * b[2] - a[2] * b[1]; o[1] = a[2] * b[0] - a[0] * b[2]; o[2] = a[0] * b[1] - a[1] * b[0];
}
static inline void unit(float *v) { float s = 1 / sqrtf(dot(v, v) + 1e-20f); for (int j = 0; j < 3; j++) v[j] *= s; }
static inline void turn(const float *m, const float *v, float *o) { for (int j = 0; j < 3; j++) o[j] = dot(m + 4 * j, v); }
static inline void move(const float *m, const float *v, float *o) { for (int j = 0; j < 3; j++) o[j] = dot(m + 4 * j, v) + m[4 * j + 3]; }
static inline float uniform(uint32_t *s) { uint32_t x = *s; x ^= x << 13; x ^= x >> 17; x ^= x << 5; *s = x; return (x >> 8) * (1.f / 16777216.f); }

static inline float enter(const Node *n, const float *o, const float *inv, float far) {
  float t0 = 0, t1 = far;
  for (int j = 0; j < 3; j++) {
    float a = (n->lo[j] - o[j]) * inv[j], b = (n->hi[j] - o[j]) * inv[j];
    t0 = fmaxf(t0, fminf(a, b)); t1 = fminf(t1, fmaxf(a, b));
  }
  return t0 <= t1 ? t0 : 1e30f;
}

/* Bytes of the levels before this one: the sum of 4 (TEXTURE / 2^k)^2. */
static inline long level_start(int level) { long n = TEXTURE >> level; return 16 * ((long)TEXTURE * TEXTURE - n * n) / 3; }

static inline const uint8_t *texture_level(const World *w, int texture, int level) {
  return w->textures + texture * level_start(LEVELS) + level_start(level);
}

static int cut_out(const World *w, const Triangle *q, const Material *m, float u, float v) {
  float s = (q->uv[0][0] * (1 - u - v) + q->uv[1][0] * u + q->uv[2][0] * v) * m->scale, t = (q->uv[0][1] * (1 - u - v) + q->uv[1][1] * u + q->uv[2][1] * v) * m->scale;
  int x = (int)((s - floorf(s)) * TEXTURE) & (TEXTURE - 1), y = (int)((1 - (t - floorf(t))) * TEXTURE) & (TEXTURE - 1);
  return texture_level(w, m->texture, 0)[4 * (y * TEXTURE + x) + 3] < 128;
}

static int hit_ball(const float *o, const float *d, float near, Hit *h) {
  float a = dot(d, d), b = dot(o, d), c = dot(o, o) - 1, s = b * b - a * c;
  if (s < 0) return 0;
  s = sqrtf(s);
  float t = (-b - s) / a; if (t < near) t = (-b + s) / a;
  if (t < near || t >= h->t) return 0;
  h->t = t; h->triangle = -1; return 1;
}

/* Moeller and Trumbore 1997, both sides. */
static int hit_triangle(const World *w, const Instance *in, int k, const float *o, const float *d, float near, Hit *h) {
  const Triangle *q = w->triangles + k;
  float p[3], s[3], r[3]; cross(d, q->b, p);
  float det = dot(q->a, p); if (fabsf(det) < 1e-20f) return 0;
  float inv = 1 / det; for (int j = 0; j < 3; j++) s[j] = o[j] - q->p[j];
  float u = dot(s, p) * inv; if (u < 0 || u > 1) return 0;
  cross(s, q->a, r);
  float v = dot(d, r) * inv; if (v < 0 || u + v > 1) return 0;
  float t = dot(q->b, r) * inv; if (t < near || t >= h->t) return 0;
  const Material *m = w->materials + in->material + q->slot;
  if ((m->flags & ALPHA) && cut_out(w, q, m, u, v)) return 0;
  h->t = t; h->u = u; h->v = v; h->triangle = k; return 1;
}

static int hit_instance(const World *w, int i, const float *eye, const float *dir, float near, Hit *h, int any) {
  const Instance *in = w->instances + i;
  float o[3], d[3], inv[3]; move(in->to_local, eye, o); turn(in->to_local, dir, d);   /* d keeps its length, so t stays in meters */
  if (in->mesh == BALL) return hit_ball(o, d, near, h) ? (h->instance = i, 1) : 0;
  for (int j = 0; j < 3; j++) inv[j] = 1 / (fabsf(d[j]) < 1e-20f ? 1e-20f : d[j]);
  const Node *base = w->mesh_nodes + w->mesh_root[2 * in->mesh]; int first = w->mesh_root[2 * in->mesh + 1], found = 0;
  int stack[STACK], top = 0; stack[top++] = 0;
  while (top) {
    const Node *n = base + stack[--top];
    if (enter(n, o, inv, h->t) >= h->t) continue;
    if (n->count == 0) {
      int near_child = enter(base + n->first, o, inv, h->t) > enter(base + n->first + 1, o, inv, h->t);
      stack[top++] = n->first + 1 - near_child; stack[top++] = n->first + near_child; continue;
    }
    for (int k = 0; k < n->count; k++) if (hit_triangle(w, in, first + n->first + k, o, d, near, h)) { found = 1; h->instance = i; if (any) return 1; }
  }
  return found;
}

/* The nearest hit in (near, far), or with any the first one found. */
static int trace(const World *w, const float *o, const float *d, float near, float far, Hit *h, int any) {
  float inv[3]; for (int j = 0; j < 3; j++) inv[j] = 1 / (fabsf(d[j]) < 1e-20f ? 1e-20f : d[j]);
  int stack[STACK], top = 0, found = 0; stack[top++] = 0; h->t = far;
  while (top) {
    const Node *n = w->nodes + stack[--top];
    if (enter(n, o, inv, h->t) >= h->t) continue;
    if (n->count == 0) {
      int near_child = enter(w->nodes + n->first, o, inv, h->t) > enter(w->nodes + n->first + 1, o, inv, h->t);
      stack[top++] = n->first + 1 - near_child; stack[top++] = n->first + near_child; continue;
    }
    for (int k = 0; k < n->count; k++) if (hit_instance(w, w->order[n->first + k], o, d, near, h, any)) { found = 1; if (any) return 1; }
  }
  return found;
}

static void surface(const World *w, const Hit *h, const float *o, const float *d, Surface *s) {
  const Instance *in = w->instances + h->instance;
  float eye[3], dir[3], p[3], n[3], flat[3]; move(in->to_local, o, eye); turn(in->to_local, d, dir);
  for (int j = 0; j < 3; j++) p[j] = eye[j] + h->t * dir[j];
  s->material = w->materials + in->material; s->uv_per_metre = 1; s->uv[0] = s->uv[1] = 0;
  if (h->triangle < 0) { memcpy(n, p, 12); memcpy(flat, p, 12); }
  else {
    const Triangle *q = w->triangles + h->triangle; float c = 1 - h->u - h->v, wa[3], wb[3], wn[3];
    s->material += q->slot; cross(q->a, q->b, flat);
    for (int j = 0; j < 3; j++) n[j] = q->normal[0][j] * c + q->normal[1][j] * h->u + q->normal[2][j] * h->v;
    for (int j = 0; j < 2; j++) s->uv[j] = q->uv[0][j] * c + q->uv[1][j] * h->u + q->uv[2][j] * h->v;
    turn(in->to_world, q->a, wa); turn(in->to_world, q->b, wb); cross(wa, wb, wn);
    float area = fabsf((q->uv[1][0] - q->uv[0][0]) * (q->uv[2][1] - q->uv[0][1]) - (q->uv[1][1] - q->uv[0][1]) * (q->uv[2][0] - q->uv[0][0]));
    s->uv_per_metre = sqrtf(area / (sqrtf(dot(wn, wn)) + 1e-12f));
  }
  s->face = 0; for (int j = 1; j < 3; j++) if (fabsf(flat[j]) * in->size[s->face] > fabsf(flat[s->face]) * in->size[j]) s->face = j;
  if (s->material->flags & METRIC || h->triangle < 0) {
    int x = s->face == 0 ? 2 : 0, y = s->face == 1 ? 2 : 1;
    s->uv[0] = p[x] * in->size[x]; s->uv[1] = p[y] * in->size[y]; s->uv_per_metre = 1;
  }
  const float *m = in->to_local;          /* normals go by the inverse transpose */
  for (int j = 0; j < 3; j++) s->normal[j] = m[j] * n[0] + m[4 + j] * n[1] + m[8 + j] * n[2];
  unit(s->normal);
  if (dot(s->normal, d) > 0) for (int j = 0; j < 3; j++) s->normal[j] = -s->normal[j];
}

/* Linear albedo; width: the pixel's footprint in meters. */
static void albedo(const World *w, const Surface *s, float width, float *out) {
  const Material *m = s->material;
  memcpy(out, m->rgb, 12);
  if (m->texture < 0) return;
  float level = log2f(width * s->uv_per_metre * fabsf(m->scale) * TEXTURE + 1e-6f);
  int l = level < 0 ? 0 : level > LEVELS - 1 ? LEVELS - 1 : (int)(level + .5f), size = TEXTURE >> l;
  const uint8_t *t = texture_level(w, m->texture, l);
  float u = s->uv[0] * m->scale, v = 1 - s->uv[1] * m->scale, x = (u - floorf(u)) * size, y = (v - floorf(v)) * size;
  int x0 = (int)x & (size - 1), y0 = (int)y & (size - 1), x1 = (x0 + 1) & (size - 1), y1 = (y0 + 1) & (size - 1);
  float fx = x - floorf(x), fy = y - floorf(y);
  for (int j = 0; j < 3; j++) {
    float c = (t[4 * (y0 * size + x0) + j] * (1 - fx) + t[4 * (y0 * size + x1) + j] * fx) * (1 - fy) + (t[4 * (y1 * size + x0) + j] * (1 - fx) + t[4 * (y1 * size + x1) + j] * fx) * fy;
    c *= 1 / 255.f; out[j] *= c * c;      /* gamma 2 */
  }
}

static void sky_color(const Sky *sky, const float *d, float *out) {
  int x = (int)((atan2f(d[0], d[2]) * .15915494f + .5f) * sky->width), y = (int)((.5f - asinf(fmaxf(-1, fminf(1, d[1]))) * .31830989f) * sky->height);
  x = x < 0 ? 0 : x >= sky->width ? sky->width - 1 : x; y = y < 0 ? 0 : y >= sky->height ? sky->height - 1 : y;
  memcpy(out, sky->rgb + 3 * ((long)y * sky->width + x), 12);
}

/* Irradiance and highlight at p from the lights, one shadow ray each towards a random point of the lamp. */
static void lit(const World *w, const float *p, const Surface *s, const float *d, const Light *lights, int count, uint32_t *seed, float *e, float *highlight) {
  for (int i = 0; i < count; i++) {
    const Light *l = lights + i; float to[3], far = 1e4f, fall = 1, half[3]; Hit h;
    for (int j = 0; j < 3; j++) to[j] = l->at[j] + (uniform(seed) * 2 - 1) * l->radius - (l->sun ? 0 : p[j]);
    if (!l->sun) { float q = dot(to, to); far = sqrtf(q) - .02f; fall = 1 / (.25f + q); }
    unit(to);
    float c = dot(to, s->normal); if (c <= 0 || trace(w, p, to, 1e-4f, far, &h, 1)) continue;
    for (int j = 0; j < 3; j++) half[j] = to[j] - d[j];
    unit(half);
    float g = s->material->gloss, k = g > 0 ? g * powf(fmaxf(0, dot(half, s->normal)), 20 + 100 * g) * 2 : 0;
    for (int j = 0; j < 3; j++) { e[j] += l->rgb[j] * c * fall; highlight[j] += l->rgb[j] * k * fall; }
  }
}

static void occlusion(const World *w, const float *p, const Surface *s, const Sky *sky, uint32_t *seed, float *e) {
  float a = uniform(seed) * 6.2831853f, z = uniform(seed) * 2 - 1, r = sqrtf(fmaxf(0, 1 - z * z)), d[3] = { s->normal[0] + r * cosf(a), s->normal[1] + z, s->normal[2] + r * sinf(a) }; Hit h;
  unit(d);
  float open = trace(w, p, d, 1e-4f, sky->reach, &h, 1) ? .3f : 1, up = .7f + .3f * s->normal[1];
  for (int j = 0; j < 3; j++) e[j] += sky->ambient[j] * open * up;
}

/* Averages light over pixels of the same instance and a like normal: soft shadows from one ray a pixel. */
static void smooth(int width, int height, int step, int radius, const int32_t *id, const float *normal, const float *in, float *out) {
  for (int y = 0; y < height; y++) for (int x = 0; x < width; x++) {
    long k = (long)y * width + x; float sum[3] = { 0 }, n = 0;
    if (id[k] < 0) continue;
    for (int dy = -radius; dy <= radius; dy++) for (int dx = -radius; dx <= radius; dx++) {
      int xx = x + dx * step, yy = y + dy * step; long q = (long)yy * width + xx;
      if (xx < 0 || yy < 0 || xx >= width || yy >= height || id[q] != id[k] || dot(normal + 3 * q, normal + 3 * k) < .8f) continue;
      for (int j = 0; j < 3; j++) sum[j] += in[3 * q + j];
      n++;
    }
    for (int j = 0; j < 3; j++) out[3 * k + j] = sum[j] / n;
  }
}

static void pixel(const World *w, const Camera *c, const Sky *sky, const Light *lights, int count, int x, int y, uint32_t seed,
                  float *inverse, int32_t *id, float *normal, float *tint, float *light, float *extra) {
  uint32_t r = (seed * 747796405u + (uint32_t)(y * c->width + x) * 2891336453u) | 1; uniform(&r); uniform(&r); uniform(&r);
  float a = (x + .5f) / c->width * 2 - 1, b = 1 - (y + .5f) / c->height * 2, d[3], p[3]; Hit h; Surface s;
  for (int j = 0; j < 3; j++) d[j] = c->forward[j] + a * c->right[j] + b * c->up[j];
  unit(d);
  *id = -1; *inverse = 0;
  if (!trace(w, c->eye, d, 1e-4f, 1e4f, &h, 0)) { sky_color(sky, d, extra); return; }
  float facing, footprint = h.t * 2 * sqrtf(dot(c->right, c->right)) / c->width;
  surface(w, &h, c->eye, d, &s);
  *inverse = 1 / (h.t * dot(d, c->forward)); *id = h.instance * 4 + s.face; memcpy(normal, s.normal, 12);
  facing = fmaxf(.15f, -dot(s.normal, d)); albedo(w, &s, footprint / facing, tint);
  for (int j = 0; j < 3; j++) p[j] = c->eye[j] + h.t * d[j] + 2e-3f * s.normal[j];
  lit(w, p, &s, d, lights, count, &r, light, extra); occlusion(w, p, &s, sky, &r, light);
  for (int j = 0; j < 3; j++) extra[j] += s.material->glow * tint[j];
  if (s.material->mirror <= 0) return;
  float back = -dot(s.normal, d), fresnel = s.material->mirror + (1 - s.material->mirror) * .5f * powf(1 - fmaxf(0, back), 5), m[3], seen[3], e[3], none[3] = { 0 }, q[3]; Hit g; Surface t;
  for (int j = 0; j < 3; j++) m[j] = d[j] + 2 * back * s.normal[j];
  if (trace(w, p, m, 1e-4f, 1e4f, &g, 0)) {
    surface(w, &g, p, m, &t); albedo(w, &t, 2 * footprint, seen); memcpy(e, sky->ambient, 12);
    for (int j = 0; j < 3; j++) q[j] = p[j] + g.t * m[j] + 2e-3f * t.normal[j];
    lit(w, q, &t, m, lights, count, &r, e, none);
    for (int j = 0; j < 3; j++) seen[j] *= e[j] + t.material->glow;
  } else sky_color(sky, m, seen);
  for (int j = 0; j < 3; j++) extra[j] += fresnel * seen[j];
}

int build_mesh(int n, const float *boxes, int32_t *order, Node *nodes) { return bvh_build(n, boxes, order, nodes); }

/* rgb: height x width x 3, linear light; inverse: 1 / depth along the optical axis in 1/m, 0 for the sky. */
void render(const Triangle *triangles, const Node *mesh_nodes, const int32_t *mesh_root, const uint8_t *textures, const Material *materials,
            int count, const Instance *instances, int light_count, const Light *lights, const Sky *sky, const Camera *camera, uint32_t seed, float *rgb, float *inverse) {
  World w = { triangles, mesh_nodes, mesh_root, textures, materials, instances, count, malloc(2 * count * sizeof(Node)), malloc(count * 4) };
  float *boxes = malloc(count * 24);
  for (int i = 0; i < count; i++) {
    const Instance *in = instances + i; float ball[6] = { -1, -1, -1, 1, 1, 1 }, *box = boxes + 6 * i;
    const Node *root = mesh_nodes + (in->mesh == BALL ? 0 : mesh_root[2 * in->mesh]);
    const float *lo = in->mesh == BALL ? ball : root->lo, *hi = in->mesh == BALL ? ball + 3 : root->hi;
    for (int j = 0; j < 3; j++) { box[j] = 1e30f; box[3 + j] = -1e30f; }
    for (int k = 0; k < 8; k++) {
      float v[3] = { k & 1 ? hi[0] : lo[0], k & 2 ? hi[1] : lo[1], k & 4 ? hi[2] : lo[2] }, p[6]; move(in->to_world, v, p); memcpy(p + 3, p, 12);
      bvh_grow(box, box + 3, p);
    }
  }
  bvh_build(count, boxes, w.order, w.nodes); free(boxes);
  long n = (long)camera->width * camera->height;
  float *normal = calloc(3 * n, 4), *tint = calloc(3 * n, 4), *light = calloc(3 * n, 4), *soft = calloc(3 * n, 4); int32_t *id = malloc(4 * n);
  memset(rgb, 0, 12 * n);
  for (long k = 0; k < n; k++) pixel(&w, camera, sky, lights, light_count, (int)(k % camera->width), (int)(k / camera->width), seed, inverse + k, id + k, normal + 3 * k, tint + 3 * k, light + 3 * k, rgb + 3 * k);
  smooth(camera->width, camera->height, 2, 2, id, normal, light, soft); smooth(camera->width, camera->height, 1, 1, id, normal, soft, light);
  for (long k = 0; k < 3 * n; k++) rgb[k] += tint[k] * light[k];
  free(normal); free(tint); free(light); free(soft); free(id); free(w.nodes); free(w.order);
}
