#include "recipes/engine/report/figures.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/stop.h"
#include "framework/io/json_file.h"
#include "recipes/engine/measure/policy.h"
#include "recipes/engine/report/table_source.h"
#include "recipes/engine/report/table_words.h"

namespace locus {

namespace {

constexpr std::size_t training_parts = 40;

// A range stands at its geometric middle, positions counted from 1.
double x_of(const AxisPlace& place) {
    if (const auto* range = std::get_if<std::array<Index, 2>>(&place)) {
        const auto low = static_cast<double>((*range)[0] + 1), high = static_cast<double>((*range)[1]);
        return std::sqrt(low * std::max(high, low));
    }
    const auto* number = std::get_if<Index>(&place);
    return number != nullptr ? static_cast<double>(*number) : 0;
}

std::vector<CurvePoint> mean_of_runs(const Curve& curve) {
    std::map<double, std::vector<double>> values;
    for (const auto& [run, points] : curve.runs)
        for (const CurvePoint& point : points) {
            auto& here = values[point.x];
            if (point.value) here.push_back(*point.value);
        }
    std::vector<CurvePoint> mean;
    for (const auto& [x, here] : values)
        mean.push_back({x, here.size() == curve.runs.size() ? std::optional(mean_of(here)) : std::nullopt});
    return mean;
}

void add_run(Figure& figure, const std::string& arm, const std::string& run, std::vector<CurvePoint> points) {
    auto place = std::find_if(figure.curves.begin(), figure.curves.end(),
                              [&](const Curve& curve) { return curve.arm == arm; });
    if (place == figure.curves.end()) place = figure.curves.insert(figure.curves.end(), {arm, {}, {}});
    place->runs.emplace_back(run, std::move(points));
}

std::string file_name(std::string text) {
    std::replace(text.begin(), text.end(), ':', '_');
    return text;
}

// The metric of the table, where this protocol has it.
std::string metric_for(const ProtocolPolicy& policy, const Table& table) {
    return contains(policy.metrics(), table.metric) ? table.metric : loss_metric;
}

Figure figure_of(const Evaluation& evaluation, const Table& table, bool several_splits) {
    const ProtocolPolicy& policy = policy_of(evaluation.protocol);
    const FigureWords words = policy.figure(evaluation.protocol);
    Figure figure;
    figure.name =
        file_name(words.kind + "_" + evaluation.protocol + (several_splits ? "_" + evaluation.split : ""));
    figure.title = words.title + (several_splits ? " (" + evaluation.split + ")" : "");
    figure.x_label = words.x_label;
    figure.note = words.note;
    figure.y_label = MetricRegistry::instance().at(metric_for(policy, table)).unit;
    return figure;
}

std::vector<CurvePoint> points_of(const Evaluation& evaluation, const std::string& metric, Figure& figure) {
    std::vector<CurvePoint> points;
    for (const Record& record : evaluation.records) {
        const auto place = evaluation.place(record, evaluation.axis);
        if (!place) continue;
        figure.ranges = figure.ranges || std::holds_alternative<std::array<Index, 2>>(*place);
        points.push_back({x_of(*place), record.value(metric)});
    }
    return points;
}

// Tokens and the loss of each step that has one.
std::vector<std::pair<double, double>> read_steps(const std::filesystem::path& path) {
    std::vector<std::pair<double, double>> steps;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        throw_if_stopped();
        if (line.empty()) continue;
        const nlohmann::json step = parse_json(line, path.string(), Failure::storage);
        const auto tokens = step.find("tokens"), loss = step.find("loss");
        if (tokens != step.end() && tokens->is_number() && loss != step.end() && loss->is_number())
            steps.emplace_back(tokens->get<double>(), loss->get<double>());
    }
    return steps;
}

// What a loss in nats is in the table's metric, where that follows.
double shown_loss(double nats, const Table& table, const std::string& unit, std::string& label) {
    const Metric& metric = table.measure();
    const auto value = metric.from_nats != nullptr ? metric.from_nats(nats, unit) : std::nullopt;
    label = value ? metric.unit : MetricRegistry::instance().at(loss_metric).unit;
    return value.value_or(nats);
}

// The mean loss over each fortieth of a run.
Figure training_figure(const Table& table, const TableSource& source) {
    Figure figure{"training",
                  "Loss in training",
                  "trained tokens",
                  "",
                  "of the batches themselves, mean over each fortieth of the run",
                  false,
                  false,
                  {}};
    for (const RunFolder& run : source.runs) {
        const std::string unit = run.evaluations.empty() ? "" : run.evaluations.front().unit;
        const auto steps = read_steps(run.path / "metrics.jsonl");
        const std::size_t parts = std::min(training_parts, steps.size());
        std::vector<CurvePoint> points;
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t begin = steps.size() * part / parts, end = steps.size() * (part + 1) / parts;
            double sum = 0;
            for (std::size_t i = begin; i < end; ++i) sum += steps[i].second;
            const double mean = sum / static_cast<double>(end - begin);
            points.push_back({steps[end - 1].first, shown_loss(mean, table, unit, figure.y_label)});
        }
        if (points.size() > 1) add_run(figure, source.arm_of(run), run.name, std::move(points));
    }
    return figure;
}

}  // namespace

std::vector<Figure> figures_of(const Table& table) {
    const TableSource& source = *table.source;
    std::vector<std::string> splits;
    for (const RunFolder& run : source.runs)
        for (const Evaluation& evaluation : run.evaluations) add_once(splits, evaluation.split);
    std::vector<Figure> figures;
    for (const RunFolder& run : source.runs) {
        for (const Evaluation& evaluation : run.evaluations) {
            if (!run.finished() || find_policy(evaluation.protocol) == nullptr) continue;
            const Figure named = figure_of(evaluation, table, splits.size() > 1);
            auto place = std::find_if(figures.begin(), figures.end(),
                                      [&](const Figure& figure) { return figure.name == named.name; });
            if (place == figures.end()) place = figures.insert(figures.end(), named);
            const std::string metric = metric_for(policy_of(evaluation.protocol), table);
            add_run(*place, source.arm_of(run), run.name, points_of(evaluation, metric, *place));
        }
    }
    figures.push_back(training_figure(table, source));
    std::erase_if(figures, [](const Figure& figure) { return figure.curves.empty(); });
    for (Figure& figure : figures)
        for (Curve& curve : figure.curves) curve.mean = mean_of_runs(curve);
    return figures;
}

}  // namespace locus
