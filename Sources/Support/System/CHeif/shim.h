// The part of libheif's interface (libheif 1, heif.h) that is called, as types alone: the library is opened at run time, and its
// headers need not be there when this is built.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct heif_context;
struct heif_image_handle;
struct heif_image;

// An error by value: the library's own enumerations are of the size of int.
typedef struct {
  int code;
  int subcode;
  const char *message;
} heif_outcome;

// The first fields of `heif_color_profile_nclx` (ITU-T H.273); those of later versions follow.
typedef struct {
  uint8_t version;
  int primaries;
  int transfer;
  int matrix;
} heif_nclx;

// The first fields of `heif_decoding_options`; `version` says up to which the library has them.
typedef struct {
  uint8_t version;
  uint8_t ignore_transformations;
  void *start_progress;
  void *on_progress;
  void *end_progress;
  void *progress_user_data;
  uint8_t convert_hdr_to_8bit;
  uint8_t strict_decoding;
} heif_options;

typedef heif_outcome (*heif_init_f)(void *parameters);
typedef struct heif_context *(*heif_context_alloc_f)(void);
typedef void (*heif_context_free_f)(struct heif_context *);
typedef void (*heif_context_set_int_f)(struct heif_context *, int);
typedef heif_outcome (*heif_context_read_f)(
  struct heif_context *, const void *bytes, size_t count, const void *options);
typedef heif_outcome (*heif_context_primary_f)(struct heif_context *, struct heif_image_handle **);
typedef void (*heif_handle_release_f)(const struct heif_image_handle *);
typedef int (*heif_handle_int_f)(const struct heif_image_handle *);
typedef int (*heif_handle_count_f)(const struct heif_image_handle *, int filter);
typedef int (*heif_handle_list_f)(const struct heif_image_handle *, int filter, uint32_t *ids, int count);
typedef heif_outcome (*heif_handle_auxiliary_f)(
  const struct heif_image_handle *, uint32_t id, struct heif_image_handle **);
typedef heif_outcome (*heif_handle_type_f)(const struct heif_image_handle *, const char **type);
typedef void (*heif_handle_free_type_f)(const struct heif_image_handle *, const char **type);
typedef int (*heif_metadata_count_f)(const struct heif_image_handle *, const char *type);
typedef int (*heif_metadata_list_f)(
  const struct heif_image_handle *, const char *type, uint32_t *ids, int count);
typedef size_t (*heif_metadata_size_f)(const struct heif_image_handle *, uint32_t id);
typedef heif_outcome (*heif_metadata_f)(const struct heif_image_handle *, uint32_t id, void *bytes);
typedef size_t (*heif_profile_size_f)(const struct heif_image_handle *);
typedef heif_outcome (*heif_profile_f)(const struct heif_image_handle *, void *bytes);
typedef heif_outcome (*heif_nclx_f)(const struct heif_image_handle *, heif_nclx **);
typedef void (*heif_nclx_free_f)(heif_nclx *);
typedef heif_options *(*heif_options_alloc_f)(void);
typedef void (*heif_options_free_f)(heif_options *);
typedef heif_outcome (*heif_decode_f)(
  const struct heif_image_handle *, struct heif_image **, int colorspace, int chroma, const heif_options *);
typedef const uint8_t *(*heif_plane_f)(const struct heif_image *, int channel, int *stride);
typedef int (*heif_side_f)(const struct heif_image *, int channel);
typedef void (*heif_image_release_f)(const struct heif_image *);
