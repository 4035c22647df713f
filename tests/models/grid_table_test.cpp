// Learned tables over a grid: `vit` and `learned_2d`.
#include "models/grid_table.h"

#include "tests/models/rotary_support.h"
#include "tests/support/gradient_check.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

// Worked out by hand from (i + 1/2) from / to - 1/2.
TEST(LinearResize, BetweenTheMiddlesOfPlaces) {
    using Parts = std::vector<std::vector<double>>;
    EXPECT_EQ(linear_resize(2, 4), (Parts{{1, 0}, {0.75, 0.25}, {0.25, 0.75}, {0, 1}}));
    EXPECT_EQ(linear_resize(4, 2), (Parts{{0.5, 0.5, 0, 0}, {0, 0, 0.5, 0.5}}));
    EXPECT_EQ(linear_resize(3, 2), (Parts{{0.75, 0.25, 0}, {0, 0.25, 0.75}}));
    EXPECT_EQ(linear_resize(2, 3), (Parts{{1, 0}, {0.5, 0.5}, {0, 1}}));
    EXPECT_EQ(linear_resize(1, 3), (Parts{{1}, {1}, {1}}));
    EXPECT_EQ(linear_resize(3, 3), (Parts{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
}

EncodingShape narrow(Index width = 4) {
    return {width, 1, 1, width, 1, 9, Site::self_bidirectional};
}

Choices grid(Index rows, Index columns, Index to_rows = 0, Index to_columns = 0) {
    return {{"rows", rows}, {"columns", columns}, {"grid_rows", to_rows}, {"grid_columns", to_columns}};
}

// The vectors of all tokens, [tokens, width].
Tensor vectors(const LoneEncoding& encoding, const Positions& positions) {
    const Tensor embedding = encoding.terms(positions).embedding.value();
    return embedding.reshaped({embedding.size(0) * embedding.size(1), embedding.size(2)});
}

TEST(Vit, RowsFollowTheRasterAndTheClassTokenComesFirst) {
    const LoneEncoding vit("vit", grid(2, 3), narrow());
    const Tensor table = vit.store.view(vit.store.values(), 0);
    ASSERT_EQ(table.shape(), (Shape{7, 4}));
    EXPECT_EQ(largest_difference(vectors(vit, grid_positions(2, 3, true)), table), 0);
    const Tensor one = vectors(vit, Positions(1, 1, 2, {1, 0}));
    EXPECT_EQ(largest_difference(one, table.rows(4, 1)), 0);
    const EncodingCard card = vit.card({.positions = {3}, .length = 0, .distances = {}});
    EXPECT_EQ(card.embedding[0][2], static_cast<double>(table.data()[4 * 4 + 2]));
}

// A table of 2 x 2 for a grid of 4 x 3: by hand, a cell's vector is the product of the parts above.
TEST(Vit, ResizesBilinearlyAndKeepsTheClassToken) {
    LoneEncoding vit("vit", grid(2, 2, 4, 3), narrow(1));
    const Tensor table = vit.store.view(vit.store.values(), 0);
    const double values[] = {100, 0, 4, 8, 20};  // class token, then the raster
    set_parameter(vit.store, 0, values);
    const Tensor actual = vectors(vit, grid_positions(4, 3, true));
    const double expected[] = {100, 0, 2, 4, 2, 5, 8, 6, 11, 16, 8, 14, 20};
    for (Index k = 0; k < 13; ++k) EXPECT_EQ(static_cast<double>(actual.data()[k]), expected[k]) << k;
    EXPECT_EQ(vit.card({.positions = {4}, .length = 0, .distances = {}}).embedding[0][0], 5);
}

TEST(Learned2d, RowAndColumnStandSideBySide) {
    const LoneEncoding learned("learned_2d", grid(2, 3), narrow());
    const Tensor table = learned.store.view(learned.store.values(), 0);
    ASSERT_EQ(table.shape(), (Shape{5, 2}));  // two rows, three columns
    const Tensor actual = vectors(learned, grid_positions(2, 3, true));
    EXPECT_EQ(largest(actual.rows(0, 1)), 0);  // the class token
    for (Index cell = 0; cell < 6; ++cell) {
        for (Index i = 0; i < 4; ++i) {
            const Index row = i < 2 ? cell / 3 : 2 + cell % 3;
            EXPECT_EQ(actual.data()[(1 + cell) * 4 + i], table.data()[row * 2 + i % 2]) << cell << ", " << i;
        }
    }
    const EncodingCard card = learned.card({.positions = {5}, .length = 0, .distances = {}});
    for (Index i = 0; i < 4; ++i)
        EXPECT_EQ(card.embedding[0][static_cast<std::size_t>(i)],
                  static_cast<double>(actual.data()[6 * 4 + i]));
}

TEST(Learned2d, ResizesEachAxisAlone) {
    LoneEncoding learned("learned_2d", grid(2, 3, 4, 2), narrow(2));
    const Tensor table = learned.store.view(learned.store.values(), 0);
    const double values[] = {0, 8, 4, 8, 20};  // rows, then columns
    set_parameter(learned.store, 0, values);
    const Tensor actual = vectors(learned, grid_positions(4, 2));
    const double rows[] = {0, 2, 6, 8}, columns[] = {5, 17};
    for (Index cell = 0; cell < 8; ++cell) {
        EXPECT_EQ(static_cast<double>(actual.data()[2 * cell]), rows[cell / 2]);
        EXPECT_EQ(static_cast<double>(actual.data()[2 * cell + 1]), columns[cell % 2]);
    }
}

TEST(GridTables, RefuseCellsOutsideAndHalfAGrid) {
    for (const char* kind : {"vit", "learned_2d"}) {
        const LoneEncoding table(kind, grid(2, 3), narrow());
        for (const Positions& positions :
             {Positions(1, 1, 2, {2, 0}), Positions(1, 1, 2, {0, 3}), Positions(1, 1, 2, {-1, 0})}) {
            try {
                table.terms(positions);
                ADD_FAILURE() << kind;
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), Failure::usage);
                expect_mentions(error.what(), {"2 rows", "3 columns", std::to_string(positions(0, 0, 0))});
            }
        }
        EXPECT_THROW(table.card({.positions = {6}, .length = 0, .distances = {}}), Error);
        expect_mentions(refusal_of(kind, grid(2, 0), narrow()), {"2", "0"});
        expect_mentions(refusal_of(kind, grid(2, 2, 0, 4), narrow()), {"grid_rows", "4"});
        // by default, the smallest square that holds the trained length: here 9
        EXPECT_EQ(LoneEncoding(kind, {}, narrow()).card().conventions.at("grid"), "3 x 3");
    }
    expect_mentions(refusal_of("learned_2d", grid(2, 2), narrow(5)), {"5"});
}

// The gradient of a resized table flows through the resize.
TEST(GridTables, ResizedTablesLearn) {
    for (const char* kind : {"vit", "learned_2d"}) {
        ModelOptions options = small_model();
        const auto model = make_model(encoding_options(kind, grid(2, 2, 3, 4)), options, {.causal = false});
        Sample sample(1, 12);
        sample.positions = grid_positions(3, 4);
        const auto output = [&] { return model->logits(sample.input()); };
        const Tensor cotangent = random_tensor(output().value().shape(), 9);
        const Tensor gradient = flat_gradient(*model, cotangent, output);
        const auto& all = model->parameters().parameters();
        const auto table =
            std::find_if(all.begin(), all.end(), [](const auto& p) { return p.name == "encoding.table"; });
        ASSERT_NE(table, all.end());
        std::vector<double> analytic, numeric;
        for (Index k = 0; k < table->shape.count(); k += 5) {
            analytic.push_back(static_cast<double>(gradient.data()[table->offset + k]));
            numeric.push_back(central_difference(model->parameters(), table->offset + k, analytic.back(),
                                                 [&] { return dot(output().value(), cotangent); }));
        }
        expect_gradient_close(analytic, numeric, kind);
    }
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
