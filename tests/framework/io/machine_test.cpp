#include "framework/io/machine.h"

#include <gtest/gtest.h>

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
