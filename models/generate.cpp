#include "models/generate.h"

#include <algorithm>
#include <memory>

#include "framework/nn/step_scope.h"
#include "models/padding.h"

namespace locus {
inline namespace LOCUS_SCALAR {

namespace {

using Texts = std::vector<std::vector<Token>>;

void check(const Transformer& model, const Texts& prompts, const GenerateOptions& options) {
    require(!prompts.empty(), "sample: there is no prompt");
    Index longest = 0;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        require(!prompts[i].empty(), "sample: prompt {} has no token to begin with", i);
        longest = std::max(longest, static_cast<Index>(prompts[i].size()));
    }
    require(options.tokens >= 0 && options.chunk >= 0 && options.length >= 0,
            "sample: tokens {}, chunk {} and length {} must not be negative", options.tokens, options.chunk,
            options.length);
    require(!options.growing || options.length == 0,
            "sample: frequencies cannot grow and be those of length {}", options.length);
    require(options.cache || options.chunk == 0, "sample: chunks of {} tokens need a cache", options.chunk);
    require(options.cache || (options.window == 0 && options.sinks == 0),
            "sample: a window of {} keys and {} sinks are those of a cache, and there is none",
            options.window, options.sinks);
    const auto holds = model.encoding().longest();
    require(!holds || longest + options.tokens <= *holds,
            "sample: a prompt of {} tokens and {} more make {}, but the table of the encoding holds {}",
            longest, options.tokens, longest + options.tokens, *holds);
    require(model.site() == Site::self_causal,
            "sample: the mask is not causal: the model does not predict what follows");
    require(model.axes() != 2, "sample: the encoding reads rows and columns of a grid, which text has not");
    check(options.sampling, model.options().vocabulary);
}

// The logits of the last place of every sequence, pass by pass.
class Continuation {
  public:
    Continuation(const Transformer& model, Texts prompts, const GenerateOptions& options)
        : model_(model), texts_(std::move(prompts)), options_(options) {
        for (const auto& text : texts_)
            length_ = std::max(length_, static_cast<Index>(text.size()) + options.tokens);
        if (options.length > 0) length_ = options.length;
        if (!options.cache) return;
        CacheOptions cache;
        cache.growing = options.growing;
        cache.length = options.growing ? 0 : length_;
        cache.window = options.window;
        cache.sinks = options.sinks;
        cache_ = std::make_unique<KvCache>(model.make_cache(sequences(), cache));
    }

    Index sequences() const { return static_cast<Index>(texts_.size()); }

    std::vector<std::vector<double>> prompt() {
        const Batch padded = left_padded(texts_, model_.axes());
        const Index chunk = options_.chunk > 0 ? options_.chunk : padded.length;
        Index first = 0;
        for (; first + chunk < padded.length; first += chunk)
            pass(padded.run(first, chunk), [](const Variable&) {});
        return last_logits(padded.run(first, padded.length - first));
    }

    std::vector<std::vector<double>> next(std::span<const Token> tokens) {
        for (std::size_t b = 0; b < texts_.size(); ++b) texts_[b].push_back(tokens[b]);
        if (!cache_) return prompt();
        const Index axes = model_.axes();
        std::vector<std::int64_t> positions;
        for (const auto& text : texts_)
            positions.insert(positions.end(), static_cast<std::size_t>(axes),
                             static_cast<std::int64_t>(text.size()) - 1);
        Batch batch = Batch::of_text(sequences(), {tokens.begin(), tokens.end()});
        batch.positions = Positions(sequences(), 1, axes, std::move(positions));
        return last_logits(batch);
    }

  private:
    // Calls use(states) with those of a pass, whose memory goes afterwards.
    template <typename Use>
    void pass(const Batch& batch, const Use& use) {
        Pass pass{.cache = cache_.get()};
        if (!cache_) pass = LengthMode{"", options_.growing ? 0 : length_}.pass();
        const StepScope scope(space_);
        use(model_.hidden(batch, pass));
    }

    std::vector<std::vector<double>> last_logits(const Batch& batch) {
        std::vector<std::vector<double>> rows;
        pass(batch, [&](const Variable& hidden) {
            const Index width = hidden.size(2);
            const MutableTensor last = Tensor::empty({batch.sequences, 1, width});
            for (Index b = 0; b < batch.sequences; ++b) {
                std::copy_n(hidden.value().data() + ((b + 1) * batch.length - 1) * width, width,
                            last.data() + b * width);
            }
            const Tensor logits = model_.logits_of(last).value();
            const Index vocabulary = logits.size(2);
            for (Index b = 0; b < batch.sequences; ++b)
                rows.emplace_back(logits.data() + b * vocabulary, logits.data() + (b + 1) * vocabulary);
        });
        return rows;
    }

    const Transformer& model_;
    Texts texts_;
    GenerateOptions options_;
    Index length_ = 0;
    std::unique_ptr<KvCache> cache_;
    StepSpace space_;
};

}  // namespace

void generate(const Transformer& model, const Texts& prompts, const GenerateOptions& options,
              const std::function<void(const GeneratedStep&)>& take) {
    check(model, prompts, options);
    if (options.tokens == 0) return;
    Continuation continuation(model, prompts, options);
    std::vector<Token> tokens(prompts.size());
    std::vector<double> nats(prompts.size());
    for (Index step = 0; step < options.tokens; ++step) {
        const auto logits = step == 0 ? continuation.prompt() : continuation.next(tokens);
        for (std::size_t b = 0; b < tokens.size(); ++b) {
            const RandomStream stream(options.seed, Purpose::sampling, {b, static_cast<std::uint64_t>(step)});
            tokens[b] = sample_token(logits[b], options.sampling, stream);
            nats[b] = surprise(logits[b], tokens[b]);
        }
        take({step, tokens, nats});
    }
}

}  // namespace LOCUS_SCALAR
}  // namespace locus
