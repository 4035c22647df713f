#include "recipes/engine/config/nearest.h"

#include <algorithm>
#include <map>

#include "models/spellings.h"

namespace locus {

namespace {

// Short names such as lr are far from every misspelling of what people call them elsewhere.
const std::multimap<std::string, std::string> elsewhere = {
    {"learning_rate", "train.lr"},
    {"max_lr", "train.lr"},
    {"min_learning_rate", "train.min_lr"},
    {"batch_size", "train.batch_tokens"},
    {"max_steps", "train.steps"},
    {"iterations", "train.steps"},
    {"epochs", "train.tokens"},
    {"warmup_ratio", "train.warmup"},
    {"grad_clip", "train.clip"},
    {"max_grad_norm", "train.clip"},
    {"scheduler", "train.schedule"},
    {"block_size", "train.length"},
    {"sequence_length", "train.length"},
    {"context_length", "train.length"},
    {"random_seed", "train.seed"},
    {"dtype", "train.precision"},
    {"save_every", "train.checkpoint_every"},
    {"eval_every", "train.validate_every"},
    {"num_layers", "model.layers"},
    {"n_layer", "model.layers"},
    {"num_hidden_layers", "model.layers"},
    {"depth", "model.layers"},
    {"d_model", "model.width"},
    {"n_embd", "model.width"},
    {"hidden_size", "model.width"},
    {"num_heads", "model.heads"},
    {"n_head", "model.heads"},
    {"num_attention_heads", "model.heads"},
    {"num_key_value_heads", "model.kv_heads"},
    {"hidden_act", "model.activation"},
    {"weight_tying", "model.tie_embeddings"},
    {"layer_norm_eps", "model.norm_epsilon"},
    {"layer_norm_epsilon", "model.norm_epsilon"},
    {"rms_norm_eps", "model.norm_epsilon"},
    {"norm_eps", "model.norm_epsilon"},
    {"tie_word_embeddings", "model.tie_embeddings"},
    {"initializer_range", "model.init"},
    {"init_std", "model.init"},
    {"init_method_std", "model.init"},
    {"dataset", "data.corpus"},
    {"sliding_window", "mask.window"},
    {"attention_window", "mask.window"},
    {"attention_dilation", "mask.dilation"},
    {"position_encoding", "encoding.kind"},
    {"grid", "vary"},
    {"sweep", "vary"},
};

}  // namespace

std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

std::string nearest_key(const std::string& path, const std::vector<std::string>& known) {
    const std::size_t dot = path.find('.');
    const std::string section = path.substr(0, dot);
    const std::string leaf = dot == std::string::npos ? path : path.substr(dot + 1);
    std::string best;
    std::size_t min = std::string::npos;
    const auto consider = [&](const std::string& candidate, std::size_t distance) {
        if (distance < min) {
            min = distance;
            best = candidate;
        }
    };
    for (const std::string& candidate : known) {
        const std::size_t at = candidate.find('.');
        const std::string home = candidate.substr(0, at);
        // A leaf of another section is a worse guess than one of the section that was named; a bare name has
        // none.
        const std::size_t stranger = dot == std::string::npos || home == section ? 0 : 1;
        consider(candidate, edit_distance(path, candidate));
        if (at == std::string::npos) continue;
        consider(candidate, stranger + edit_distance(leaf, candidate.substr(at + 1)));
        for (const auto& [name, ours] : elsewhere)
            if (ours == candidate) consider(candidate, stranger + edit_distance(leaf, name));
        for (const auto& [name, option] : option_spellings())
            if ("encoding." + option == candidate) consider(candidate, stranger + edit_distance(leaf, name));
    }
    return best;
}

}  // namespace locus
