// The commands of `locus`: each takes the words after its name, prints results to stdout and returns an exit
// code.
#pragma once

#include <string>
#include <vector>

namespace locus {

using Words = std::vector<std::string>;

int train_command(const Words& words);
int run_command(const Words& words);
int eval_command(const Words& words);
int table_command(const Words& words);
int card_command(const Words& words);
int verify_command(const Words& words);
int search_command(const Words& words);
int sample_command(const Words& words);
int logits_command(const Words& words);
int data_command(const Words& words);
int inspect_command(const Words& words);
int list_command(const Words& words);
int version_command(const Words& words);

}  // namespace locus
