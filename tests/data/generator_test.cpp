#include "data/generator.h"

#include <map>
#include <span>

#include "framework/io/checksum.h"
#include "tests/data/support.h"

namespace locus {
namespace {

TEST(Generator, IsAFunctionOfSeedAndIndexThatGrowsAtItsEnd) {
    const std::string text = generate_document(3, 5, 20'000);
    EXPECT_EQ(text.size(), 20'000u);
    EXPECT_EQ(text, generate_document(3, 5, 20'000));
    for (const Index length : {0, 1, 100, 19'999}) {
        EXPECT_EQ(generate_document(3, 5, length), text.substr(0, static_cast<std::size_t>(length)));
    }
    EXPECT_NE(text, generate_document(3, 6, 20'000));
    EXPECT_NE(text, generate_document(4, 5, 20'000));
}

TEST(Generator, IsPlainText) {
    for (const char c : generate_document(0, 0, 50'000)) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

TEST(Generator, RepeatsFactsFarAway) {
    const std::string text = generate_document(1, 0, 200'000);
    const std::string opening = "he number of ", middle = " is ";
    std::map<std::string, std::pair<std::string, std::size_t>> told;
    int near = 0, far = 0;
    for (std::size_t place = 0; (place = text.find(opening, place + 1)) != std::string::npos;) {
        if (place + 60 > text.size()) break;  // the last fact may be cut off
        const std::size_t begin = place + opening.size(), end = text.find(middle, begin);
        const std::string name = text.substr(begin, end - begin),
                          number = text.substr(end + middle.size(), 5);
        ASSERT_EQ(number.find_first_not_of("0123456789"), std::string::npos) << name;
        if (text[place - (place > 0)] == 'T') {
            told[name] = {number, place};
            continue;
        }
        ASSERT_TRUE(told.contains(name)) << name;
        EXPECT_EQ(told[name].first, number) << name;
        const std::size_t distance = place - told[name].second;
        EXPECT_GE(distance, 128u);
        EXPECT_LE(distance, 10'000u);
        (distance < 1024 ? near : far) += 1;
        told.erase(name);
    }
    EXPECT_GE(near, 50);
    EXPECT_GE(far, 50);
    EXPECT_LE(told.size(), 40u);  // only those near the end wait for their repeat
}

TEST(Generator, ItsTextIsPartOfEveryResultOnIt) {
    std::string text;
    for (Index index = 0; index < 4; ++index) text += generate_document(0, index, 5000);
    EXPECT_EQ(checksum(text), "6abba25dcc1cdb13440dcc281ff48f00");
}

TEST(Generator, RefusesNegativeNumbers) {
    test::expect_error([] { generate_document(0, -1, 5); }, Failure::usage, {"-1"});
    test::expect_error([] { generate_document(0, 0, -5); }, Failure::usage, {"-5"});
}

}  // namespace
}  // namespace locus
