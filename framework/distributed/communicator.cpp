#include "framework/distributed/communicator.h"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <thread>

#include "framework/core/error.h"
#include "framework/distributed/launcher.h"

namespace locus {

struct Communicator::Group {
    // Never freed: to free one is a call for all ranks, and a rank that throws would make it alone. There are
    // few; MPI's end takes them.
    MPI_Comm comm = MPI_COMM_NULL;
};

namespace {

constexpr int exchange_tag = 1;
constexpr std::size_t max_message = std::size_t{1} << 30;  // MPI counts in int

MPI_Datatype type_of(std::size_t element) {
    switch (element) {
        case 1:
            return MPI_BYTE;
        case 4:
            return MPI_UINT32_T;
        case 8:
            return MPI_UINT64_T;
        default:
            fail(Failure::usage, "gather: elements of {} bytes", element);
    }
}

int count_of(std::size_t count) {
    require(count <= INT_MAX, "MPI: {} elements in one message are too many", count);
    return static_cast<int>(count);
}

// Calls visit(offset, bytes) for pieces that MPI can count.
template <typename Visit>
void in_pieces(std::size_t bytes, Visit visit) {
    for (std::size_t offset = 0; offset < bytes; offset += max_message)
        visit(offset, static_cast<int>(std::min(max_message, bytes - offset)));
}

}  // namespace

Communicator::Communicator(std::shared_ptr<const Group> group) : group_(std::move(group)) {
    MPI_Comm_rank(group_->comm, &rank_);
    MPI_Comm_size(group_->comm, &size_);
}

void Communicator::barrier() const {
    if (alone()) return;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(group_->comm, &request);
    for (int done = 0; done == 0;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        // others may have minutes of work left, and need the core more than a rank that only waits
        if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

long Communicator::largest(long own) const {
    if (alone()) return own;
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_LONG, MPI_MAX, group_->comm);
    return own;
}

void Communicator::broadcast(std::span<std::byte> bytes) const {
    if (alone()) return;
    in_pieces(bytes.size(), [&](std::size_t offset, int size) {
        MPI_Bcast(bytes.data() + offset, size, MPI_BYTE, 0, group_->comm);
    });
}

std::string Communicator::broadcast(const std::string& text) const {
    if (alone()) return text;
    const long size = largest(is_root() ? static_cast<long>(text.size()) : 0);
    std::string result = is_root() ? text : std::string(static_cast<std::size_t>(size), '\0');
    broadcast(std::as_writable_bytes(std::span(result)));
    return result;
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
    if (alone()) return {text};
    const auto ranks = static_cast<std::size_t>(size_);
    std::vector<Index> sizes(ranks), each(ranks + 1), begins(ranks + 1);
    for (std::size_t r = 0; r <= ranks; ++r) each[r] = static_cast<Index>(r);
    sizes[static_cast<std::size_t>(rank_)] = static_cast<Index>(text.size());
    gather(std::span(sizes), each);
    for (std::size_t r = 0; r < ranks; ++r) begins[r + 1] = begins[r] + sizes[r];
    std::string all(static_cast<std::size_t>(begins.back()), '\0');
    std::copy(text.begin(), text.end(), all.begin() + begins[static_cast<std::size_t>(rank_)]);
    gather(std::span(all), begins);
    std::vector<std::string> texts;
    for (std::size_t r = 0; r < ranks; ++r)
        texts.push_back(all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(sizes[r])));
    return texts;
}

void Communicator::gather(void* all, std::size_t element, std::span<const Index> begins) const {
    if (alone()) return;
    std::vector<int> counts, places;
    for (int r = 0; r < size_; ++r) {
        const auto place = static_cast<std::size_t>(r);
        counts.push_back(count_of(static_cast<std::size_t>(begins[place + 1] - begins[place])));
        places.push_back(count_of(static_cast<std::size_t>(begins[place])));
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts.data(), places.data(), type_of(element),
                   group_->comm);
}

void Communicator::exchange(std::span<const Message> sends, std::span<const Message> receives) const {
    if (alone()) return;
    // Nothing may fail once a message is under way: it would arrive in memory that is gone.
    std::size_t pieces = 0;
    for (const auto& messages : {sends, receives})
        for (const Message& message : messages)
            in_pieces(message.bytes.size(), [&](std::size_t, int) { ++pieces; });
    std::vector<MPI_Request> requests;
    requests.reserve(pieces);
    for (const Message& message : receives) {
        in_pieces(message.bytes.size(), [&](std::size_t offset, int size) {
            MPI_Irecv(message.bytes.data() + offset, size, MPI_BYTE, message.rank, exchange_tag, group_->comm,
                      &requests.emplace_back());
        });
    }
    for (const Message& message : sends) {
        in_pieces(message.bytes.size(), [&](std::size_t offset, int size) {
            MPI_Isend(message.bytes.data() + offset, size, MPI_BYTE, message.rank, exchange_tag, group_->comm,
                      &requests.emplace_back());
        });
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void Communicator::sum(std::span<float> values) const {
    if (!alone())
        MPI_Allreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_FLOAT, MPI_SUM, group_->comm);
}

void Communicator::sum(std::span<double> values) const {
    if (!alone())
        MPI_Allreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_DOUBLE, MPI_SUM,
                      group_->comm);
}

Communicator Communicator::split(int colour) const {
    if (alone()) return *this;
    auto group = std::make_shared<Group>();
    MPI_Comm_split(group_->comm, colour, rank_, &group->comm);
    return Communicator(std::move(group));
}

int Communicator::sharing_cores() const {
    if (alone()) return 1;
    Group machine;
    MPI_Comm_split_type(group_->comm, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine.comm);
    int ranks = 1;
    MPI_Comm_size(machine.comm, &ranks);
    cpu_set_t own;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof own, &own) != 0) return ranks;
    std::vector<cpu_set_t> sets(static_cast<std::size_t>(ranks));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, sets.data(), sizeof own, MPI_BYTE, machine.comm);
    return static_cast<int>(std::count_if(sets.begin(), sets.end(), [&](const cpu_set_t& other) {
        cpu_set_t both;
        CPU_AND(&both, &own, &other);
        return CPU_COUNT(&both) > 0;
    }));
}

void Communicator::post(int rank, int tag, std::span<const std::byte> bytes) const {
    MPI_Send(bytes.data(), count_of(bytes.size()), MPI_BYTE, rank, tag, group_->comm);
}

void Communicator::fetch(int rank, int tag, std::span<std::byte> bytes) const {
    MPI_Recv(bytes.data(), count_of(bytes.size()), MPI_BYTE, rank, tag, group_->comm, MPI_STATUS_IGNORE);
}

int Communicator::try_fetch(int tag, std::span<std::byte> bytes) const {
    if (alone()) return -1;
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, group_->comm, &there, &status);
    if (there == 0) return -1;
    fetch(status.MPI_SOURCE, tag, bytes);
    return status.MPI_SOURCE;
}

void Communicator::abort(int code) const {
    if (!alone()) MPI_Abort(group_->comm, code);
    std::_Exit(code);
}

Session::Session() {
    const Launch launch = launch_of_environment();
    require(
        !launch.without_mpi,
        "MPI: srun started {} tasks (this is number {}), but not as ranks of MPI: each would do the same "
        "work. "
        "Start them with `srun --mpi=pmix` (`srun --mpi=list` names what there is) or mpirun, or start one",
        launch.size, launch.rank);
    if (!launch.present) return;
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    begun_ = true;
    auto group = std::make_shared<Communicator::Group>();
    MPI_Comm_dup(MPI_COMM_WORLD, &group->comm);
    world_ = Communicator(std::move(group));
    // The destructor does not run when a constructor throws.
    if (level < MPI_THREAD_FUNNELED || (launch.size > 0 && launch.size != world_.size())) {
        MPI_Finalize();
        begun_ = false;
        require(level >= MPI_THREAD_FUNNELED, "MPI: this library does not work beside threads");
        fail(
            Failure::usage,
            "MPI: the launcher started {} ranks, the library sees {}: use the launcher of the MPI that locus "
            "was built with",
            launch.size, world_.size());
    }
}

Session::~Session() {
    if (begun_) MPI_Finalize();
}

}  // namespace locus
