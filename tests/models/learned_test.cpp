#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

std::string refusal(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Learned, RefusesPositionsBeyondItsTable) {
    const LoneEncoding learned("learned");
    EXPECT_EQ(learned.encoding->longest(), 64);
    EXPECT_EQ(refusal([&] { learned.terms(Positions::consecutive(64)); }), "");
    for (const Positions& positions : {Positions::consecutive(65), Positions::consecutive(10, 55)}) {
        const std::string message = refusal([&] { learned.terms(positions); });
        EXPECT_NE(message.find("64"), std::string::npos) << message;  // the last position that was asked for
        EXPECT_NE(message.find("63"), std::string::npos) << message;  // the last row
    }
    EXPECT_NE(refusal([&] { learned.terms(Positions(1, 2, 1, {-1, 0})); }), "");
    EXPECT_NE(refusal([&] { learned.card({.positions = {64}, .length = 0, .distances = {}}); }), "");
    EXPECT_EQ(LoneEncoding("learned", {{"max_length", Index{32}}}).encoding->longest(),
              32);  // of 64: an ancestor's
    EXPECT_EQ(LoneEncoding("learned", {{"max_length", Index{100}}}).encoding->longest(), 100);
}

TEST(Learned, ATokenWithoutAPositionGetsNothing) {
    const LoneEncoding learned("learned");
    const Tensor vectors =
        learned.terms(Positions(1, 3, 1, {2, Positions::none, 0})).embedding.value().reshaped({3, 64});
    EXPECT_EQ(largest(vectors.rows(1, 1)), 0);
    const Tensor placed = learned.terms(Positions::consecutive(3)).embedding.value().reshaped({3, 64});
    EXPECT_EQ(largest_difference(vectors.rows(0, 1), placed.rows(2, 1)), 0);
    EXPECT_EQ(largest_difference(vectors.rows(2, 1), placed.rows(0, 1)), 0);
    EXPECT_GT(largest(placed.rows(0, 1)), 0);
}

TEST(Learned, OnlyRowsInUseGetAGradient) {
    const auto model = make_model(encoding_options("learned"), small_model());
    const Sample sample(2, 20);
    const Tensor gradient =
        flat_gradient(*model, Tensor::full({1}, 1), [&] { return model->loss(sample.input()).sum; });
    const auto& all = model->parameters().parameters();
    const auto table =
        std::find_if(all.begin(), all.end(), [](const auto& p) { return p.name == "encoding.table"; });
    ASSERT_NE(table, all.end());
    const Tensor rows = model->parameters().view(gradient, table - all.begin());
    ASSERT_EQ(rows.shape(), (Shape{64, 16}));
    for (Index row = 0; row < 64; ++row) EXPECT_EQ(largest(rows.rows(row, 1)) > 0, row < 20) << row;
}

TEST(Learned, RowIsThatOfThePosition) {
    const LoneEncoding learned("learned");
    const Tensor table = learned.store.view(learned.store.values(), 0);
    const Tensor rows = learned.terms(Positions(1, 2, 1, {5, 0})).embedding.value();
    EXPECT_EQ(largest_difference(rows.reshaped({2, 64}).rows(0, 1), table.rows(5, 1)), 0);
    EXPECT_EQ(largest_difference(rows.reshaped({2, 64}).rows(1, 1), table.rows(0, 1)), 0);
    const EncodingCard card = learned.card({.positions = {5}, .length = 0, .distances = {}});
    EXPECT_EQ(card.embedding[0][3], static_cast<double>(table.data()[5 * 64 + 3]));
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
