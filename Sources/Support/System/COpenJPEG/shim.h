// The part of OpenJPEG's interface (openjp2 2, openjpeg.h) that is called, as types alone: the library is opened at run time, and
// its headers need not be there when this is built.
#pragma once
#include <stddef.h>
#include <stdint.h>

// The fields of `opj_image_comp_t`.
typedef struct {
  uint32_t dx, dy;
  uint32_t width, height;
  uint32_t x0, y0;
  uint32_t precision;
  uint32_t bits;
  uint32_t is_signed;
  uint32_t resolutions;
  uint32_t factor;
  int32_t *samples;
  uint16_t alpha;
} opj_plane;

// The first fields of `opj_image_t`.
typedef struct {
  uint32_t x0, y0, x1, y1;
  uint32_t count;
  int color_space;
  opj_plane *planes;
} opj_picture;

// Room for `opj_dparameters_t`, of which the library fills in the defaults.
typedef struct {
  uint64_t fields[2048];
} opj_parameters;

typedef size_t (*opj_read)(void *buffer, size_t count, void *user);
typedef int64_t (*opj_skip)(int64_t count, void *user);
typedef int (*opj_seek)(int64_t position, void *user);

typedef void (*opj_defaults_f)(opj_parameters *);
typedef void *(*opj_codec_f)(int format);
typedef int (*opj_setup_f)(void *codec, opj_parameters *);
typedef void *(*opj_stream_f)(int is_input);
typedef void (*opj_stream_read_f)(void *stream, opj_read);
typedef void (*opj_stream_skip_f)(void *stream, opj_skip);
typedef void (*opj_stream_seek_f)(void *stream, opj_seek);
typedef void (*opj_stream_user_f)(void *stream, void *user, void *free);
typedef void (*opj_stream_length_f)(void *stream, uint64_t bytes);
typedef int (*opj_header_f)(void *stream, void *codec, opj_picture **);
typedef int (*opj_decode_f)(void *codec, void *stream, opj_picture *);
typedef void (*opj_free_f)(void *);
typedef void (*opj_picture_free_f)(opj_picture *);
