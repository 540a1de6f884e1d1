// Types only: the library is opened at run time, after its kernel choice has been set
// (OPENBLAS_CORETYPE is read once, when the library is loaded), so nothing is linked here.
#pragma once
#include <cblas.h>
