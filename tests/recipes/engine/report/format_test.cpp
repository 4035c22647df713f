// The files: strict, whole, and the same bytes for the same runs.
#include "tests/recipes/engine/report/support.h"

namespace locus {
namespace {

/// An RFC 4180 reader of its own.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
    std::vector<std::vector<std::string>> rows = {{""}};
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
            rows.back().back() += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && c == ',') {
            rows.back().emplace_back();
        } else if (!quoted && c == '\n') {
            rows.push_back({""});
        } else {
            rows.back().back() += c;
        }
    }
    rows.pop_back();
    return rows;
}

void write_experiment(const std::filesystem::path& folder) {
    write_runs(folder, {run_of("rope", 0, {1.0 / 3, 5}), run_of("rope", 1, {2, 5.5}),
                        run_of("learned", 0, {2, nan_value}), run_of("learned", 1, {2.5, nan_value})});
}

TEST(Format, CsvReadsBackToTheSameNumbers) {
    Scratch scratch;
    write_experiment(scratch.path());
    const Table table = make_table(scratch.path());
    const auto rows = parse_csv(text_of(table, "csv"));
    EXPECT_EQ(rows[0],
              (std::vector<std::string>{"arm", "protocol", "length", "bits_per_byte", "t_interval_low",
                                        "t_interval_high", "n", "runs", "state", "values", "contrast",
                                        "primary", "p_sign_flip", "p_holm", "verdict", "warning"}));
    ASSERT_EQ(rows.size(), 1 + table.cells.size());
    for (std::size_t i = 0; i < table.cells.size(); ++i) {
        const TableCell& cell = table.cells[i];
        const auto& row = rows[i + 1];
        ASSERT_EQ(row.size(), rows[0].size());
        EXPECT_EQ(row[0], table.rows[cell.row].label);
        EXPECT_EQ(row[2], table.columns[cell.column].values[1]);
        if (cell.mean) {
            EXPECT_EQ(std::stod(row[3]), *cell.mean);
            EXPECT_EQ(std::stod(row[4]), cell.interval->low);
        } else {
            EXPECT_EQ(row[3], "");
            EXPECT_EQ(row[9], ";");
        }
        EXPECT_EQ(row[8], cell.state);
    }
    EXPECT_EQ(rows[1][9].substr(0, rows[1][9].find(';')), "0.3333333333333333");
}

// One rectangle without comments, which any reader of tables takes.
TEST(Format, CsvHoldsContrastsAndWarningsInColumns) {
    Scratch scratch;
    std::vector<FakeRun> runs = {run_of("plain", 0, {1, 5}), run_of("yarn", 0, {1.5, 4.25})};
    for (FakeRun& run : runs)
        run.table =
            "{rows: arm, columns: [protocol, length], cell: bits_per_byte, over: train.seed, "
            "contrasts: [yarn - plain]}";
    runs[1].manifest["data_order_hash"] = "other, \"quoted\"";
    write_runs(scratch.path(), runs);
    const Table table = make_table(scratch.path());
    ASSERT_FALSE(table.warning.empty());
    const auto rows = parse_csv(text_of(table, "csv"));
    ASSERT_EQ(rows.size(), 1u + 4 + 2);
    for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
    for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_EQ(rows[i].back(), table.warning);
    EXPECT_EQ(rows[0][0], "arm");
    const auto& last = rows.back();
    EXPECT_EQ(last[0], "");  // of two arms
    EXPECT_EQ(last[1], "non_overlapping");
    EXPECT_EQ(last[2], "128");
    EXPECT_EQ(last[3], "-0.75");
    EXPECT_EQ(last[10], "yarn - plain");
    EXPECT_EQ(last[14], "undecided");
}

TEST(Format, CsvQuotesWhatNeedsIt) {
    Table table;
    table.row_axes = {"arm"};
    table.rows = {{{"a,\"b\"\nc"}, "x", "", ""}};
    table.columns = {{{}, "y", "", ""}};
    TableCell cell;
    cell.state = "missing";
    table.cells = {cell};
    EXPECT_EQ(parse_csv(text_of(table, "csv"))[1][0], "a,\"b\"\nc");
}

TEST(Format, JsonIsStrictAndHasItsFields) {
    Scratch scratch;
    write_experiment(scratch.path());
    const auto json = nlohmann::json::parse(text_of(make_table(scratch.path()), "json"));
    EXPECT_EQ(json["question"], "Which?");
    EXPECT_EQ(json["unit"], "bits per byte");
    EXPECT_EQ(json["rows"], (nlohmann::json{"rope", "learned"}));
    EXPECT_EQ(json["columns"].size(), 2u);
    EXPECT_FALSE(json["notes"].empty());
    ASSERT_EQ(json["cells"].size(), 4u);
    const auto& cell = json["cells"][0];
    EXPECT_EQ(cell["row"], "rope");
    EXPECT_EQ(cell["column"], json["columns"][0]);
    EXPECT_EQ(cell["values"][0], 1.0 / 3);
    EXPECT_EQ(cell["interval"].size(), 2u);
    EXPECT_EQ(cell["interval_method"], "Student's t, 95 %, over train.seed");
    EXPECT_EQ(cell["runs"][1], "rope,seed=1");
    const auto& beyond = json["cells"][3];
    EXPECT_TRUE(beyond["mean"].is_null() && beyond["interval"].is_null() && beyond["values"][0].is_null());
    EXPECT_EQ(beyond["state"], "beyond_table");
}

TEST(Format, MarkdownIsAligned) {
    Scratch scratch;
    write_experiment(scratch.path());
    const std::string text = text_of(make_table(scratch.path()), "md");
    std::vector<std::size_t> widths;
    for (std::size_t at = 0; at < text.size();) {
        const std::string line = text.substr(at, text.find('\n', at) - at);
        at += line.size() + 1;
        if (line.empty() || line[0] != '|') continue;
        std::size_t width = 0;
        for (const char c : line) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        widths.push_back(width);
    }
    ASSERT_EQ(widths.size(), 4u);
    for (const std::size_t width : widths) EXPECT_EQ(width, widths[0]);
}

TEST(Format, TexEscapesNamesAndIsABooktab) {
    Scratch scratch;
    FakeRun run = run_of("rope_50%", 0, {1, 2});
    write_runs(scratch.path(), {run, run_of("a&b", 0, {2, 1})});
    const std::string text = text_of(make_table(scratch.path()), "tex");
    for (const char* part : {"\\toprule", "\\midrule", "\\bottomrule", "rope\\_50\\%", "a\\&b",
                             "non\\_overlapping", "\\textbf{1.0000}", "\\multicolumn{2}{c}"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Format, TexFitsAPageAndKeepsNotesOutOfFloats) {
    Scratch scratch;
    std::vector<FakeRun> runs;
    const std::string hostile = "a_very_long_name_of_an_arm_100%-with-$-and-{braces}-#1-~^<>|\"[x]*\\";
    for (int seed = 0; seed < 2; ++seed)
        for (const std::string& arm : {hostile, std::string("plain"), std::string("[0, 8)")}) {
            FakeRun run = run_of("plain", seed, {1.0 + seed, 5.0 - seed});
            run.arm = arm;
            run.encoding = "rope";
            run.table =
                "{rows: arm, columns: [protocol, length], cell: bits_per_byte, over: train.seed, "
                "contrasts: ['[0, 8) - plain']}";
            runs.push_back(run);
        }
    int index = 0;
    for (FakeRun& run : runs) {
        const auto folder = scratch.path() / ("run" + std::to_string(index));
        run.index = index++;
        run.write(folder);
        std::string recipe = run.recipe(), quoted;
        for (const char c : run.arm) quoted += c == '\'' ? std::string("''") : std::string(1, c);
        recipe.replace(recipe.find("  arm: "), 7 + run.arm.size(), "  arm: '" + quoted + "'");
        write_text(folder / "recipe.yaml", recipe);
    }
    const std::string text = text_of(make_table(scratch.path()), "tex");
    EXPECT_NE(text.find("\\usepackage{booktabs}"), std::string::npos);
    EXPECT_NE(text.find("Paired differences"), std::string::npos);
    EXPECT_GT(text.find("Student's t"), text.rfind("\\end{table}"));  // notes stand below the last float
    EXPECT_NE(text.find("\n{[}0, 8)"), std::string::npos);            // no option of the line before
    EXPECT_NE(text.find("p{130pt}"), std::string::npos);
    EXPECT_EQ(text.find("\\\\\n["), std::string::npos);
}

TEST(Format, FilesAreWholeAndTheSameEveryTime) {
    Scratch scratch;
    write_experiment(scratch.path());
    write_tables(scratch.path());
    std::vector<std::string> before;
    for (const char* name : {"table.md", "table.csv", "table.tex", "table.json"}) {
        before.push_back(read_text(scratch.path() / name));
        EXPECT_FALSE(before.back().empty()) << name;
        EXPECT_EQ(before.back().back(), '\n') << name;
    }
    write_tables(scratch.path());  // the first tables are not runs
    std::size_t i = 0;
    for (const char* name : {"table.md", "table.csv", "table.tex", "table.json"})
        EXPECT_EQ(read_text(scratch.path() / name), before[i++]) << name;
}

TEST(Format, NamesOfFormats) {
    for (const char* name : {"md", "csv", "tex", "json"}) EXPECT_NO_THROW(check_table_format(name));
    try {
        check_table_format("html");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::usage);
        EXPECT_NE(std::string(error.what()).find("'html' is not known; known are: csv"), std::string::npos);
    }
}

}  // namespace
}  // namespace locus
