#include "data/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "framework/core/error.h"
#include "framework/core/stop.h"

namespace locus {

namespace {

constexpr int gzip_only = 15 + 16;  // zlib's code for the greatest window and gzip's header

struct End {
    void operator()(z_stream* stream) const { inflateEnd(stream); }
};

}  // namespace

std::string gunzip(std::string_view compressed, const std::string& where, std::uint64_t limit) {
    z_stream stream{};
    require(inflateInit2(&stream, gzip_only) == Z_OK, Failure::data, "{}: zlib does not start", where);
    const std::unique_ptr<z_stream, End> guard(&stream);
    std::vector<unsigned char> block(1 << 16);
    std::string text;
    std::size_t taken = 0;  // avail_in has 32 bits, so the input is handed over in pieces
    int state = Z_OK;
    while (taken < compressed.size()) {
        throw_if_stopped();
        if (state == Z_STREAM_END) {  // a further member, or padding
            if (compressed.find_first_not_of('\0', taken) == std::string_view::npos) break;
            inflateReset(&stream);
        }
        const std::size_t piece = std::min<std::size_t>(compressed.size() - taken, 1 << 20);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data() + taken));
        stream.avail_in = static_cast<uInt>(piece);
        do {
            stream.next_out = block.data();
            stream.avail_out = static_cast<uInt>(block.size());
            state = inflate(&stream, Z_NO_FLUSH);
            require(state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR, Failure::data,
                    "{}: not gzip or damaged: {}", where, stream.msg ? stream.msg : "no reason given");
            text.append(block.begin(), block.end() - stream.avail_out);
            require(text.size() <= limit, Failure::data,
                    "{}: {} bytes of gzip become more than {}, the limit (a hundred times as many, or the "
                    "memory that is "
                    "available); unpack it yourself if that is meant: gzip -dk FILE",
                    where, compressed.size(), limit);
        } while (state != Z_STREAM_END && stream.avail_out == 0);
        taken += piece - stream.avail_in;
    }
    require(state == Z_STREAM_END, Failure::data, "{}: the gzip data is cut off after {} bytes", where,
            compressed.size());
    return text;
}

}  // namespace locus
