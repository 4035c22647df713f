// The rule for what has changed, and the marks by which it is found.
#include "recipes/engine/identity/identity.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "recipes/engine/identity/manifest.h"
#include "recipes/engine/identity/measured.h"

namespace locus {
namespace {

using nlohmann::json;

constexpr Thing every_thing[] = {Thing::tokenizer,  Thing::corpus,  Thing::splits,  Thing::recipe,
                                 Thing::parameters, Thing::kernels, Thing::program, Thing::build};

// The kind of the Error that `job` throws; nothing where it throws none.
template <typename Job>
std::optional<Failure> failure_of(Job job) {
    try {
        job();
    } catch (const Error& error) {
        return error.kind();
    }
    return std::nullopt;
}

TEST(Identity, TheRuleForEachThing) {
    for (const Thing thing : every_thing) {
        const Identity there = {{thing, "a"}}, here = {{thing, "b"}};
        const bool told = thing == Thing::kernels || thing == Thing::program || thing == Thing::build;
        const bool of_text = thing == Thing::corpus || thing == Thing::splits;
        const auto failure = failure_of([&] { admit(there, here, "run"); });
        const Failure expected = of_text ? Failure::data : Failure::storage;
        EXPECT_EQ(failure, told ? std::nullopt : std::optional(expected)) << name_of(thing);
        const auto allowed = failure_of([&] { EXPECT_EQ(admit(there, here, "run", true).size(), 1U); });
        EXPECT_EQ(allowed.has_value(), !told && !of_text) << name_of(thing);
        EXPECT_TRUE(admit(there, there, "run").empty());
        EXPECT_TRUE(admit(there, {}, "run").empty() && admit({}, here, "run").empty());
        EXPECT_EQ(thing_named(name_of(thing)), thing);
    }
}

TEST(Identity, BothValuesAndThePlaceAreSaid) {
    try {
        admit({{Thing::corpus, "11"}}, {{Thing::corpus, "22"}}, "out/run");
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "out/run: the corpus differs: 11 there, 22 here");
    }
    EXPECT_EQ(text_of({Thing::kernels, "avx2", "sse4"}), "the kernels differ: avx2 there, sse4 here");
}

TEST(Identity, WhatAManifestRecorded) {
    const json manifest = {
        {"machine", {{"target", "avx2"}, {"commit", "c"}, {"dirty", "d"}, {"compiler", "g"}}},
        {"corpus", {{"hash", "h"}, {"tokenizer", "byte"}, {"splits", {{"hash", "s"}}}}},
        {"parameters_hash", "p"}};
    const Identity expected = {{Thing::tokenizer, "byte"}, {Thing::corpus, "h"},
                               {Thing::splits, "s"},       {Thing::parameters, "p"},
                               {Thing::kernels, "avx2"},   {Thing::program, "c, with changes d"},
                               {Thing::build, "g"}};
    EXPECT_EQ(identity_in(manifest_from(manifest, "m"), "m"), expected);
    EXPECT_EQ(identity_from(to_json(expected), "m"), expected);
    EXPECT_TRUE(identity_in({}, "m").empty());
    for (const auto& wrong : {R"({"target": 3})", R"({"dirty": []})"}) {
        json machine = manifest;
        machine["machine"] = json::parse(wrong);
        EXPECT_EQ(failure_of([&] { identity_in(manifest_from(machine, "m"), "m"); }), Failure::storage);
    }
}

TEST(Identity, ResultsAreHeldAgainstTheirChecksumAndTheirRun) {
    const Identity recorded = {{Thing::parameters, "p"}, {Thing::recipe, "r"}, {Thing::kernels, "sse4"}};
    json results = {{"runs", {1.5, nullptr, 0.1}}};
    sign(results, {{Thing::parameters, "p"}, {Thing::recipe, "r"}, {Thing::kernels, "avx2"}});
    results = json::parse(results.dump());
    EXPECT_EQ(failure_of([&] { check_signature(results, recorded, "x"); }), std::nullopt);
    for (const Thing other : {Thing::parameters, Thing::recipe}) {
        Identity copied = recorded;
        copied[other] = "q";
        EXPECT_EQ(failure_of([&] { check_signature(results, copied, "x"); }), Failure::storage)
            << name_of(other);
    }
    json edited = results;
    edited["runs"][0] = 1.4;
    EXPECT_EQ(failure_of([&] { check_signature(edited, recorded, "x"); }), Failure::storage);
    edited.erase("checksum");
    EXPECT_EQ(failure_of([&] { check_signature(edited, recorded, "x"); }), Failure::storage);
    EXPECT_EQ(failure_of([&] { check_signature(edited, {}, "x"); }), std::nullopt);
}

}  // namespace
}  // namespace locus
