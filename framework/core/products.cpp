#include "framework/core/products.h"

namespace locus {

namespace {

thread_local Products current_products;

}  // namespace

ProductScope::ProductScope(Products products) : before_(current_products) {
    current_products = products;
}
ProductScope::~ProductScope() {
    current_products = before_;
}

Products ProductScope::current() {
    return current_products;
}

}  // namespace locus
