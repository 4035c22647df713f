#include "tests/distributed/session.h"

#include <gtest/gtest.h>

#include <memory>

namespace locus {

namespace {

std::unique_ptr<Session> session;

class MpiEnvironment : public testing::Environment {
  public:
    void SetUp() override { session = std::make_unique<Session>(); }
    void TearDown() override { session.reset(); }
};

[[maybe_unused]] const auto* const mpi_environment =
    testing::AddGlobalTestEnvironment(new MpiEnvironment);  // GoogleTest owns it

}  // namespace

const Communicator& world() {
    return session->world();
}

}  // namespace locus
