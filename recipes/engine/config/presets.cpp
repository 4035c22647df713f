#include "recipes/engine/config/presets.h"

#include <algorithm>

#include "recipes/engine/config/nearest.h"

namespace locus {

namespace {

std::string system_of(const std::string& name) {
    return name.substr(name.find('@') + 1);
}

// Half a name (neox for gpt-neox) is nearer than any misspelling of another.
std::size_t distance(const Preset& preset, const std::string& name) {
    const std::string ours = system_of(preset.name), theirs = system_of(name);
    const bool half = !theirs.empty() && ours.find(theirs) != std::string::npos;
    if (!half) return edit_distance(preset.name, name);
    return edit_distance(preset.kind(), name.substr(0, name.find('@'))) + (ours != theirs);
}

}  // namespace

// A preset states every option that its system decides, even where that is the standard value: the standard
// may change, the system's meaning does not. What a system trained by another optimizer needs here is
// measured.
const std::vector<Preset>& standard_presets() {
    using Map = std::map<std::string, std::string>;
    const Map t2t = {{"layout", "tensor2tensor"}, {"scale_tokens", "true"}, {"base", "10000"}};
    const auto rope = [](const char* base, const char* fraction, const char* pairing) {
        return Map{{"base", base}, {"fraction", fraction}, {"pairing", pairing}};
    };
    const auto t5 = [](const char* logits, const char* bias_scale) {
        return Map{{"relative_attention_num_buckets", "32"},
                   {"relative_attention_max_distance", "128"},
                   {"logits", logits},
                   {"bias_scale", bias_scale}};
    };
    Map unscaled_t5 = t5("unscaled", "one");
    unscaled_t5["lr_factor"] = "30";
    static const std::vector<Preset> presets = {
        {"alibi@paper", "the authors' code, for any number of heads", {{"slopes", "paper"}}},
        {"alibi@bloom",
         "the paper's slopes; BLOOM adds slope * key index, which is the same after the softmax",
         {{"slopes", "paper"}}},
        {"alibi@survey",
         "2^(-8h/heads) for every number of heads, as surveys print it",
         {{"slopes", "naive"}}},
        {"kerple@paper", "the logarithmic variant", {{"variant", "log"}}},
        {"learned@bert", "512 rows", {{"max_length", "512"}}},
        {"learned@gpt2", "1024 rows", {{"max_length", "1024"}}},
        {"rope@roformer", "the paper: the whole head, pairs (2i, 2i + 1)", rope("10000", "1", "interleaved")},
        {"rope@llama",
         "LLaMA 1 and 2 in Hugging Face: the whole head, pairs (i, i + pairs); Meta's own code pairs (2i, 2i "
         "+ "
         "1), and the conversion permutes the weights",
         rope("10000", "1", "half_split")},
        {"rope@llama3", "LLaMA 3 in Hugging Face, before 3.1 scaled it", rope("500000", "1", "half_split")},
        {"rope@llama3.1",
         "LLaMA 3.1 in Hugging Face: rope_type llama3, 8 times 8192 tokens",
         {{"base", "500000"},
          {"fraction", "1"},
          {"pairing", "half_split"},
          {"scaling.type", "llama3"},
          {"scaling.factor", "8"},
          {"scaling.low_freq_factor", "1"},
          {"scaling.high_freq_factor", "4"},
          {"scaling.original_length", "8192"}}},
        {"rope@gpt-oss",
         "gpt-oss in Hugging Face: yarn without rounding, 32 times 4096 tokens",
         {{"base", "150000"},
          {"fraction", "1"},
          {"pairing", "half_split"},
          {"scaling.type", "yarn"},
          {"scaling.factor", "32"},
          {"scaling.beta_fast", "32"},
          {"scaling.beta_slow", "1"},
          {"scaling.truncate", "false"},
          {"scaling.original_length", "4096"}}},
        {"rope@qwen2", "Qwen2 in Hugging Face", rope("1000000", "1", "half_split")},
        {"rope@gpt-neox", "a quarter of the head, pairs (i, i + pairs)", rope("10000", "0.25", "half_split")},
        {"rope@gpt-j", "64 dimensions of a head of 256, pairs (2i, 2i + 1)",
         rope("10000", "0.25", "interleaved")},
        {"rope@x-transformers", "half of the head (there at least 32 dimensions), pairs (2i, 2i + 1)",
         rope("10000", "0.5", "interleaved")},
        {"sinusoidal@paper",
         "sin, cos in turn, tokens times sqrt(width)",
         {{"layout", "interleaved"}, {"scale_tokens", "true"}, {"base", "10000"}}},
        {"sinusoidal@t2t", "all sines, then all cosines, exponent i / (width/2 - 1)", t2t},
        {"sinusoidal@fairseq", "the table of tensor2tensor; positions begin at 2 there (padding index + 1)",
         t2t},
        {"t5@t5",
         "the paper: logits are not scaled, causal buckets in a decoder; Adam moves the table far enough "
         "at 30 times the rate (recipes/tuning/encoding_lr.yaml)",
         unscaled_t5},
        {"t5@gpt-neox", "rpe: scaled logits, the bias times sqrt(head_dim)", t5("scaled", "sqrt_head_dim")},
        {"t5@x-transformers", "rel_pos_bias: scaled logits, the bias times sqrt(head_dim)",
         t5("scaled", "sqrt_head_dim")},
    };
    return presets;
}

const Preset* find_preset(const std::vector<Preset>& presets, const std::string& name) {
    const auto place =
        std::find_if(presets.begin(), presets.end(), [&](const Preset& p) { return p.name == name; });
    return place == presets.end() ? nullptr : &*place;
}

std::string nearest_preset(const std::vector<Preset>& presets, const std::string& name) {
    const auto place = std::min_element(
        presets.begin(), presets.end(),
        [&](const Preset& a, const Preset& b) { return distance(a, name) < distance(b, name); });
    return place == presets.end() ? "" : place->name;
}

}  // namespace locus
