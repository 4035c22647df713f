#include "tests/models/support.h"

namespace locus {
inline namespace LOCUS_SCALAR {
namespace {

LoneEncoding t5(Site site, Index buckets = 32, Index max_distance = 128) {
    EncodingShape shape = LoneEncoding::standard();
    shape.site = site;
    return LoneEncoding(
        "t5",
        {{"relative_attention_num_buckets", buckets}, {"relative_attention_max_distance", max_distance}},
        shape);
}

std::vector<std::int32_t> buckets_of(const LoneEncoding& encoding,
                                     const std::vector<std::int64_t>& distances) {
    return encoding.card({.positions = {}, .length = 0, .distances = distances}).rows;
}

TEST(T5, BucketsOfEveryDistance) {
    const nlohmann::json data = oracle("t5_buckets.json");
    std::vector<std::int64_t> distances;  // query - key, the negative of the oracle's order
    for (std::int64_t relative = data["offsets"][0]; relative <= data["offsets"][1]; ++relative) {
        distances.push_back(-relative);
    }
    for (const auto& [buckets, max] : {std::pair<Index, Index>{32, 128}, {16, 64}, {8, 32}}) {
        for (Site site : {Site::self_causal, Site::self_bidirectional}) {
            const std::string name = fmt::format(
                "{}_nb{}_md{}", site == Site::self_causal ? "causal" : "bidirectional", buckets, max);
            EXPECT_EQ(buckets_of(t5(site, buckets, max), distances),
                      data[name].get<std::vector<std::int32_t>>())
                << name;
        }
    }
}

TEST(T5, BucketsAtTheirEdges) {
    const LoneEncoding causal = t5(Site::self_causal);
    EXPECT_EQ(buckets_of(causal, {0, 15, 16, 18, 19, 21, 27, 31, 64, 127, 128, 1000}),
              (std::vector<std::int32_t>{0, 15, 16, 16, 17, 18, 20, 21, 26, 31, 31, 31}));
    EXPECT_EQ(buckets_of(t5(Site::self_causal, 8, 16), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
              (std::vector<std::int32_t>{0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7}));
    EXPECT_EQ(buckets_of(t5(Site::self_bidirectional), {9, 1, 0, -1, -8, -16}),
              (std::vector<std::int32_t>{8, 1, 0, 17, 24, 26}));
    // 160 / 5 is 2^5: a bucket begins at every power of two, where the ratio of two logarithms rounds down
    EXPECT_EQ(buckets_of(t5(Site::self_causal, 10, 160), {4, 5, 9, 10, 19, 20, 39, 40, 79, 80, 159, 160}),
              (std::vector<std::int32_t>{4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 9}));
    const std::vector<std::int64_t> first =
        oracle("t5_buckets.json")["first_distance_of_bucket_causal_nb32_md128"];
    for (std::size_t bucket = 1; bucket < first.size(); ++bucket) {
        const auto expected = static_cast<std::int32_t>(bucket);
        EXPECT_EQ(buckets_of(causal, {first[bucket] - 1, first[bucket]}),
                  (std::vector<std::int32_t>{expected - 1, expected}));
    }
}

TEST(T5, TermsAndCardAgree) {
    for (Site site : {Site::self_causal, Site::self_bidirectional}) {
        const LoneEncoding encoding = t5(site);
        const PositionTerms terms = encoding.terms(Positions::consecutive(150, 3));
        std::vector<std::int64_t> distances;
        for (std::int64_t d = -149; d <= 149; ++d) distances.push_back(d);
        const EncodingCard card = encoding.card({.positions = {}, .length = 0, .distances = distances});
        EXPECT_EQ(terms.bias.first, -149);
        EXPECT_TRUE(
            std::equal(card.rows.begin(), card.rows.end(), terms.bias.rows.begin(), terms.bias.rows.end()));
        const Tensor table = terms.bias.table.value();
        EXPECT_EQ(table.shape(), (Shape{4, 32}));
        for (std::size_t k = 0; k < distances.size(); ++k) {
            EXPECT_EQ(card.bias[3][k], static_cast<double>(table.data()[3 * 32 + card.rows[k]]));
        }
    }
}

// The last bucket begins within the training length, so that all are trained: 16 up to 64 at length 64, whose
// last begins at 8 * 8^(7/8) = 49.4; the paper's 32 up to 128 from length 128 on, whose last begins at 113.
TEST(T5, OpenBucketsFollowTheTrainingLength) {
    struct Case {
        Site site;
        Index length, buckets, max;
    };
    const Site causal = Site::self_causal, both = Site::self_bidirectional;
    for (const Case& c : {Case{causal, 64, 16, 64},
                          {causal, 127, 16, 127},
                          {causal, 128, 32, 128},
                          {causal, 2048, 32, 128},
                          {causal, 16, 16, 16},
                          {causal, 8, 8, 8},
                          {causal, 1, 2, 2},
                          {both, 64, 16, 64},
                          {both, 512, 32, 128},
                          {both, 2, 4, 2}}) {
        EncodingOptions t5{"t5", Options(EncodingRegistry::instance().at("t5").options)};
        EncodingShape shape = LoneEncoding::standard();
        shape.site = c.site;
        shape.train_length = c.length;
        resolve_options(t5, shape);
        EXPECT_EQ(t5.options.integer("relative_attention_num_buckets"), c.buckets) << c.length;
        EXPECT_EQ(t5.options.integer("relative_attention_max_distance"), c.max) << c.length;
        EXPECT_EQ(t5.options.text("bias_scale"), "sqrt_head_dim");
        const EncodingOptions once = t5;
        shape.train_length = 4096;  // what is resolved stays
        resolve_options(t5, shape);
        EXPECT_EQ(t5.options.values(), once.options.values());
        if (c.length > 1) {
            EXPECT_TRUE(cautions_of(t5, shape, c.length).empty()) << c.length;
        }
    }
}

TEST(T5, SaysWhichBucketsAreNeverTrained) {
    EncodingOptions t5{"t5", Options(EncodingRegistry::instance().at("t5").options)};
    t5.options.set("relative_attention_num_buckets", Index{32});
    t5.options.set("relative_attention_max_distance", Index{128});
    const std::vector<std::string> found = cautions_of(t5, LoneEncoding::standard(), 64);
    ASSERT_EQ(found.size(), 1u);  // the bucket of distance 63 begins at 59, the next at 67
    EXPECT_NE(found[0].find("buckets 27 to 31 (distances from 67 on)"), std::string::npos) << found[0];
    EXPECT_TRUE(cautions_of(t5, LoneEncoding::standard(), 128).empty());
}

TEST(T5, ScaledUnlessThePapersFormIsAskedFor) {
    EXPECT_EQ(LoneEncoding("t5").terms(Positions::consecutive(3)).logit_scale, 0);
    const LoneEncoding paper("t5", {{"logits", std::string("unscaled")}});
    EXPECT_EQ(paper.terms(Positions::consecutive(3)).logit_scale, 1);
    EXPECT_EQ(paper.card().logit_scale, 1);
    EXPECT_EQ(paper.card().conventions.at("bias"), "the table's entries");
}

TEST(T5, BiasMayBeMultipliedByTheRootOfTheHead) {
    const LoneEncoding plain("t5", {{"bias_scale", std::string("one")}}), grown("t5");  // logits are scaled
    const Positions positions = Positions::consecutive(40);
    const Tensor small = plain.terms(positions).bias.table.value(),
                 large = grown.terms(positions).bias.table.value();
    for (Index i = 0; i < small.count(); ++i) EXPECT_EQ(large.data()[i], 4 * small.data()[i]);  // sqrt(16)
    const CardRequest request{.positions = {}, .length = 0, .distances = {0, 20}};
    EXPECT_EQ(grown.card(request).bias[2][1], 4 * plain.card(request).bias[2][1]);
    EXPECT_EQ(grown.terms(positions).logit_scale, 0);
}

TEST(T5, RefusesBucketsThatDoNotFit) {
    const auto message = [](Site site, Index buckets, Index max) -> std::string {
        try {
            t5(site, buckets, max);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message(Site::self_causal, 7, 128).find("7"), std::string::npos);
    EXPECT_NE(message(Site::self_causal, 1, 128), "");
    EXPECT_NE(message(Site::self_bidirectional, 2, 128), "");
    EXPECT_NE(message(Site::self_bidirectional, 6, 128), "");
    EXPECT_NE(message(Site::self_causal, 32, 16).find("16"), std::string::npos);
    EXPECT_EQ(message(Site::self_causal, 2, 128), "");
    EXPECT_EQ(message(Site::self_bidirectional, 4, 128), "");
}

}  // namespace
}  // namespace LOCUS_SCALAR
}  // namespace locus
