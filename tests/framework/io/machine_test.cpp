#include "framework/io/machine.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace locus {
namespace {

TEST(Machine, TellsWhatAResultDependsOn) {
    const nlohmann::json manifest = machine_manifest();
    for (const char* key :
         {"commit", "dirty", "compiler", "scalar", "target", "blas", "blas_kernel", "cpu"}) {
        EXPECT_TRUE(manifest.at(key).is_string()) << key;
        EXPECT_FALSE(manifest.at(key).get<std::string>().empty() && std::string(key) != "dirty") << key;
    }
    EXPECT_TRUE(manifest.at("flags").is_string());
    EXPECT_NE(manifest.at("blas").get<std::string>().find("OpenBLAS"), std::string::npos);
    EXPECT_FALSE(manifest.at("cpu_features").empty());
    EXPECT_EQ(manifest.at("libraries").at("hdf5").get<std::string>().substr(0, 1), "1");
    EXPECT_EQ(machine_manifest(), manifest);
    EXPECT_EQ(machine_manifest(GemmBackend::openblas).at("target"),
              manifest.at("target").get<std::string>() + ", openblas");
}

TEST(Machine, AvailableMemoryIsWithinALimitOfAddresses) {
    EXPECT_GT(available_memory(), 1 << 20);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    rlimit limit = before;
    limit.rlim_cur = rlim_t{1} << 46;  // far above what even a sanitizer takes
    if (limit.rlim_cur > before.rlim_max) GTEST_SKIP() << "not run: addresses are limited already";
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
    const std::int64_t available = available_memory();
    ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_GT(available, 1 << 20);
    EXPECT_LT(available, std::int64_t{1} << 46);
}

TEST(Machine, PeakMemoryGrowsByWhatIsUsed) {
    const std::int64_t before = peak_memory();
    EXPECT_GT(before, 1 << 20);
    const std::vector<char> used(std::size_t{256} << 20, 'x');
    EXPECT_GE(peak_memory(), std::int64_t{256} << 20);
    EXPECT_EQ(used.back(), 'x');
}

}  // namespace
}  // namespace locus
