#include "recipes/engine/experiment/cell_queue.h"

#include <chrono>

#include "framework/core/error.h"

namespace locus {

namespace {

constexpr int ask_tag = 3, answer_tag = 4;
constexpr long no_more = -1;
enum Ask : long { cell_please, leaving };

std::span<std::byte> bytes_of(long& number) {
    return std::as_writable_bytes(std::span(&number, 1));
}

}  // namespace

CellQueue::CellQueue(const Communicator& world, const Communicator& group, std::vector<std::size_t> order)
    : world_(world), group_(group), order_(std::move(order)) {
    for (const std::string& root : world.gather(std::string(group.is_root() ? "root" : "")))
        groups_ += root.empty() ? 0 : 1;
    waiting_groups_ = groups_ - 1;
}

long CellQueue::take() {
    return given_ < order_.size() ? static_cast<long>(order_[given_++]) : no_more;
}

std::optional<std::size_t> CellQueue::next() {
    long cell = no_more;
    if (world_.is_root()) {
        serve();
        cell = take();
    } else if (group_.is_root()) {
        long ask = cell_please;
        world_.post(0, ask_tag, bytes_of(ask));
        world_.fetch(0, answer_tag, bytes_of(cell));
    }
    group_.broadcast(bytes_of(cell));
    told_ = cell == no_more;
    if (told_) return std::nullopt;
    return static_cast<std::size_t>(cell);
}

void CellQueue::serve() {
    if (!world_.is_root() || std::this_thread::get_id() != thread_) return;
    long ask = 0;
    for (int rank; (rank = world_.try_fetch(ask_tag, bytes_of(ask))) >= 0;) {
        long cell = ask == leaving ? no_more : take();
        if (cell == no_more) --waiting_groups_;
        if (ask == cell_please) world_.post(rank, answer_tag, bytes_of(cell));
    }
}

void CellQueue::close() {
    if (!world_.is_root() && group_.is_root() && !told_) {
        long ask = leaving;
        world_.post(0, ask_tag, bytes_of(ask));
    }
    while (world_.is_root() && waiting_groups_ > 0) {
        serve();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    world_.barrier();
}

}  // namespace locus
