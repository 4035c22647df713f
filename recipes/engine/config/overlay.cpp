#include "recipes/engine/config/overlay.h"

#include "framework/core/error.h"
#include "framework/core/stop.h"

namespace locus {

namespace {

const std::string scaling_map = "encoding.scaling", rule_path = scaling_map + ".type";

bool says_nothing(const Value& value) {
    const bool is_word = value.type == Value::Type::scalar && (value.text == "null" || value.text == "~");
    return value.type == Value::Type::nothing || is_word;
}

/// An overlay on its way, with the spelling of each key.
class Flattening {
  public:
    explicit Flattening(const Schema& schema) : schema_(schema) {}

    void add(const Entry& entry) {
        if (!schema_.is_section(entry.key)) return add(entry.key, entry);
        open_block(entry.key, entry);
        for (const Entry& inner : entry.value.entries) add(entry.key + "." + inner.key, inner);
    }

    Overlay take() {
        check_spelling();
        return std::move(overlay_);
    }

  private:
    void add(const std::string& written, const Entry& entry) {
        const std::string path = schema_.canonical(written);
        if (!schema_.is_block(path)) return add_value(path, written, entry);
        if (says_nothing(entry.value)) {  // as in a Hugging Face config that scales nothing
            overlay_.blocks.insert(path);
            return add_value(rule_path, written,
                             {entry.key, entry.source, Value::scalar("plain", entry.source)});
        }
        open_block(path, entry);
        for (const Entry& inner : entry.value.entries) {
            const std::string key = path + "." + inner.key;
            if (!says_nothing(inner.value)) {
                add(key, inner);
            } else if (schema_.find(schema_.canonical(key)) == nullptr) {
                schema_.refuse_unknown(key, inner.source);
            }
        }
    }

    void open_block(const std::string& path, const Entry& entry) {
        if (entry.value.type != Value::Type::map) refuse(entry.value, path, "a map of keys");
        require(overlay_.blocks.insert(path).second, "{}: {} is given twice", entry.source.text(), path);
    }

    void add_value(const std::string& path, const std::string& written, const Entry& entry) {
        if (schema_.find(path) == nullptr) schema_.refuse_unknown(path, entry.source);
        const auto [place, is_new] = overlay_.values.emplace(path, entry.value);
        if (!is_new) refuse_second(path, written, entry, place->second.source);
        written_[path] = written;
        const auto other = overlay_.values.find(schema_.other_spelling(path));
        if (other != overlay_.values.end())
            fail(Failure::usage, "{}: {} and {} say the same thing: give one of them ({} is at {})",
                 entry.source.text(), path, other->first, other->first, other->second.source.text());
    }

    // YaRN's authors multiply by attn_factor, transformers does not read it: where a block is in the words of
    // transformers, either number would be a guess.
    void check_spelling() const {
        const auto authors = overlay_.values.find(scaling_map + ".attn_factor");
        if (authors == overlay_.values.end()) return;
        for (const auto& [path, written] : written_)
            if (path.starts_with(scaling_map) && path != written && written != "encoding.rope_scaling")
                fail(Failure::usage,
                     "{}: {}: transformers, whose word {} is, ignores attn_factor, and YaRN's authors "
                     "multiply "
                     "by it: leave it out, or say attention_factor",
                     authors->second.source.text(), authors->first, written);
    }

    [[noreturn]] void refuse_second(const std::string& path, const std::string& written, const Entry& entry,
                                    const Source& first) const {
        const std::string& before = written_.at(path);
        if (before == written)
            fail(Failure::usage, "{}: {} is given twice, first at {}", entry.source.text(), path,
                 first.text());
        fail(Failure::usage, "{}: {} is given twice: as {} here and as {} at {}", entry.source.text(), path,
             written, before, first.text());
    }

    const Schema& schema_;
    Overlay overlay_;
    std::map<std::string, std::string> written_;  // by path
};

// What an overlay says of the encoding's kind or of the rule, or `standard`.
std::string said(const Overlay& overlay, const std::vector<std::string>& paths, const std::string& standard) {
    for (const std::string& path : paths) {
        const auto value = overlay.values.find(path);
        if (value != overlay.values.end()) return value->second.text;
    }
    return standard;
}

void drop(Overlay& overlay, const std::string& prefix) {
    std::erase_if(overlay.values, [&](const auto& value) { return value.first.starts_with(prefix); });
}

}  // namespace

Overlay flatten(const std::vector<Entry>& entries, const Schema& schema) {
    throw_if_stopped();  // an experiment of thousands of cells flattens as many overlays
    Flattening flattening(schema);
    for (const Entry& entry : entries) flattening.add(entry);
    return flattening.take();
}

void lay_over(Overlay& base, const Overlay& over, const Schema& schema) {
    for (const std::string& block : over.blocks) {
        base.blocks.insert(block);
        drop(base, block + ".");
    }
    for (const auto& [path, value] : over.values) {
        base.values.erase(schema.other_spelling(path));
        base.values[path] = value;
    }
}

void lay_on_base(Overlay& base, const Overlay& over, const Schema& schema) {
    const std::vector<std::string> kind = {"encoding.preset", "encoding.kind"}, rule = {rule_path};
    const std::string kind_below = said(base, kind, EncodingOptions().kind);
    const std::string rule_below = said(base, rule, "plain");
    if (said(over, kind, kind_below) != kind_below) drop(base, "encoding.");
    if (said(over, rule, rule_below) != rule_below) drop(base, scaling_map + ".");
    Overlay keys = over;
    keys.blocks.clear();
    lay_over(base, keys, schema);
    base.blocks.insert(over.blocks.begin(), over.blocks.end());
}

}  // namespace locus
