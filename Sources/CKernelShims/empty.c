#include "CKernelShims.h"
