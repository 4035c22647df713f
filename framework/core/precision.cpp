#include "framework/core/precision.h"

namespace locus {

namespace {

thread_local Precision current_precision = Precision::fp32;

}  // namespace

PrecisionScope::PrecisionScope(Precision precision) : before_(current_precision) {
    current_precision = precision;
}
PrecisionScope::~PrecisionScope() {
    current_precision = before_;
}

Precision PrecisionScope::current() {
    return current_precision;
}

}  // namespace locus
