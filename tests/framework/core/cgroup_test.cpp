#include "framework/core/cgroup.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t mebibyte = 1 << 20;

/// Files as the kernel shows them.
class ControlGroupFiles : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / "locus-cgroup";
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const fs::path& name, const std::string& text) {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << text;
    }
    ControlGroups in(const std::string& own) {
        write("self", own);
        return {folder_ / "mount", folder_ / "self"};
    }

    fs::path folder_;
};

TEST_F(ControlGroupFiles, NoneIsNoLimit) {
    const ControlGroups none = in("0::/\n");
    EXPECT_FALSE(none.cpu_quota());
    EXPECT_FALSE(none.memory_left());
    const ControlGroups missing{folder_ / "nowhere", folder_ / "nothing"};
    EXPECT_FALSE(missing.cpu_quota());
    EXPECT_FALSE(missing.memory_left());
}

TEST_F(ControlGroupFiles, OfVersionTwo) {
    write("mount/job/step/cpu.max", "max 100000\n");
    write("mount/job/cpu.max", "150000 100000\n");  // the group above holds as well
    write("mount/job/step/memory.max", "1048576000\n");
    write("mount/job/step/memory.current", "943718400\n");
    write("mount/job/step/memory.stat", "anon 5\ninactive_file 52428800\n");
    write("mount/job/memory.max", "max\n");
    write("mount/job/memory.current", "943718400\n");
    const ControlGroups groups = in("0::/job/step\n");
    EXPECT_EQ(groups.cpu_quota(), 1.5);
    EXPECT_EQ(groups.memory_left(), 150 * mebibyte);
    write("mount/job/memory.max", "996147200\n");  // 50 MiB
    EXPECT_EQ(groups.memory_left(), 50 * mebibyte);
}

TEST_F(ControlGroupFiles, OfVersionOne) {
    write("mount/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "200000\n");
    write("mount/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
    write("mount/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    write("mount/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    write("mount/memory/docker/abc/memory.limit_in_bytes", "209715200\n");
    write("mount/memory/docker/abc/memory.usage_in_bytes", "104857600\n");
    write("mount/memory/docker/abc/memory.stat", "inactive_file 7\ntotal_inactive_file 10485760\n");
    write("mount/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
    write("mount/memory/memory.usage_in_bytes", "104857600\n");
    const ControlGroups groups = in("12:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/x\n");
    EXPECT_EQ(groups.cpu_quota(), 2.0);
    EXPECT_EQ(groups.memory_left(), 110 * mebibyte);
}

TEST_F(ControlGroupFiles, InAContainerThatSeesThePathOfItsHost) {
    write("mount/cpu/cpu.cfs_quota_us", "50000\n");
    write("mount/cpu/cpu.cfs_period_us", "100000\n");
    write("mount/memory/memory.limit_in_bytes", "104857600\n");
    write("mount/memory/memory.usage_in_bytes", "209715200\n");  // above: a byte, not less than nothing
    const ControlGroups groups = in("3:cpu:/kubepods/pod7\n2:memory:/kubepods/pod7\n");
    EXPECT_EQ(groups.cpu_quota(), 0.5);
    EXPECT_EQ(groups.memory_left(), 1);
}

}  // namespace
}  // namespace locus
