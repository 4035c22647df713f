#include <algorithm>
#include <nlohmann/json.hpp>

#include "recipes/engine/report/figures.h"
#include "recipes/engine/report/table_format.h"
#include "recipes/engine/report/table_source.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

using nlohmann::json;

json points(const std::vector<CurvePoint>& curve) {
    json out = json::array();
    for (const CurvePoint& point : curve) out.push_back({point.x, point.value ? json(*point.value) : json()});
    return out;
}

json curve_of(const Curve& curve) {
    json out = {{"arm", curve.arm}, {"mean", points(curve.mean)}, {"runs", json::array()}};
    for (const auto& [name, values] : curve.runs)
        out["runs"].push_back({{"run", name}, {"points", points(values)}});
    return out;
}

json trained_lengths(const TableSource& source) {
    std::vector<double> lengths;
    for (const RunFolder& run : source.runs)
        if (const auto length = run.manifest.train_length) lengths.push_back(static_cast<double>(*length));
    std::sort(lengths.begin(), lengths.end());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    return lengths;
}

std::string figures_table(const Table& table) {
    json out = {{"question", table.question},
                {"over", table.over},
                {"warning", table.warning},
                {"arms", json::array()},
                {"figures", json::array()}};
    std::vector<std::string> arms;
    for (const RunFolder& run : table.source->runs) add_once(arms, table.source->arm_of(run));
    out["arms"] = arms;
    out["trained_lengths"] = trained_lengths(*table.source);
    for (const Figure& figure : figures_of(table)) {
        json& to = out["figures"].emplace_back(json{{"name", figure.name},
                                                    {"title", figure.title},
                                                    {"x_label", figure.x_label},
                                                    {"y_label", figure.y_label},
                                                    {"note", figure.note},
                                                    {"logarithmic", figure.logarithmic},
                                                    {"ranges", figure.ranges},
                                                    {"curves", json::array()}});
        for (const Curve& curve : figure.curves) to["curves"].push_back(curve_of(curve));
    }
    return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

const bool figures_registered = TableFormats::instance().add(
    "figures", {"JSON: the curves that scripts/plot.py draws", figures_table, false});

}  // namespace

}  // namespace locus
