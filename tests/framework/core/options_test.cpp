#include "framework/core/options.h"

#include <gtest/gtest.h>

#include "framework/core/registry.h"

namespace locus {
namespace {

TEST(Options, HaveTheirStandardValuesAndTypes) {
    Options options({{.name = "base", .standard = 1e4, .doc = ""},
                     {.name = "rows", .standard = Index{3}, .doc = ""},
                     {.name = "on", .standard = true, .doc = ""},
                     {.name = "layout", .standard = std::string("a"), .doc = ""}});
    EXPECT_EQ(options.number("base"), 1e4);
    EXPECT_EQ(options.integer("rows"), 3);
    EXPECT_TRUE(options.flag("on"));
    EXPECT_EQ(options.text("layout"), "a");
    options.set("rows", Index{4});
    EXPECT_EQ(options.integer("rows"), 4);
    EXPECT_THROW(options.set("rows", 4.0), Error);
    EXPECT_THROW(options.set("row", Index{4}), Error);
    EXPECT_THROW(options.number("rows"), Error);
    EXPECT_THROW(options.number("other"), Error);
}

TEST(Registry, NamesWhatIsKnown) {
    Registry<int> registry;
    registry.add("b", 2);
    registry.add("a", 1);
    EXPECT_EQ(registry.at("a"), 1);
    EXPECT_TRUE(registry.contains("b"));
    EXPECT_EQ(registry.names(), (std::vector<std::string>{"a", "b"}));
    EXPECT_THROW(registry.add("a", 3), Error);
    try {
        registry.at("c");
        FAIL() << "an unknown name was found";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "'c' is not known; known are: a, b");
    }
}

}  // namespace
}  // namespace locus
