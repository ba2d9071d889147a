// Compresses or decompresses a file with zlib's stream interface.  Arguments: c LEVEL IN OUT, or d 0 IN OUT.
// Prints the input's and output's sizes, the Adler-32 and the CRC-32 of the uncompressed side.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zlib.h"

static unsigned char in_buffer[1 << 16], out_buffer[1 << 16];
static uLong adler, crc;
static unsigned long long total_in, total_out;

static void account(const unsigned char *data, size_t size) {
    adler = adler32(adler, data, (uInt)size);
    crc = crc32(crc, data, (uInt)size);
}

static int compress_file(int level, FILE *in, FILE *out) {
    z_stream z;
    memset(&z, 0, sizeof z);
    if (deflateInit(&z, level) != Z_OK)
        return 0;
    int last;
    do {
        z.avail_in = (uInt)fread(in_buffer, 1, sizeof in_buffer, in);
        z.next_in = in_buffer;
        total_in += z.avail_in;
        account(in_buffer, z.avail_in);
        last = feof(in);
        do {
            z.avail_out = sizeof out_buffer;
            z.next_out = out_buffer;
            if (deflate(&z, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
                return 0;
            size_t size = sizeof out_buffer - z.avail_out;
            total_out += size;
            if (fwrite(out_buffer, 1, size, out) != size)
                return 0;
        } while (z.avail_out == 0);
    } while (!last);
    return deflateEnd(&z) == Z_OK;
}

static int decompress_file(FILE *in, FILE *out) {
    z_stream z;
    memset(&z, 0, sizeof z);
    if (inflateInit(&z) != Z_OK)
        return 0;
    int code = Z_OK;
    while (code != Z_STREAM_END) {
        z.avail_in = (uInt)fread(in_buffer, 1, sizeof in_buffer, in);
        z.next_in = in_buffer;
        total_in += z.avail_in;
        if (z.avail_in == 0)
            return 0;
        do {
            z.avail_out = sizeof out_buffer;
            z.next_out = out_buffer;
            code = inflate(&z, Z_NO_FLUSH);
            if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
                return 0;
            size_t size = sizeof out_buffer - z.avail_out;
            total_out += size;
            account(out_buffer, size);
            if (fwrite(out_buffer, 1, size, out) != size)
                return 0;
        } while (z.avail_out == 0);
    }
    return inflateEnd(&z) == Z_OK;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: %s c|d LEVEL IN OUT\n", argv[0]);
        return 2;
    }
    FILE *in = fopen(argv[3], "rb"), *out = fopen(argv[4], "wb");
    if (!in || !out) {
        perror(in ? argv[4] : argv[3]);
        return 1;
    }
    adler = adler32(0, Z_NULL, 0);
    crc = crc32(0, Z_NULL, 0);
    int good = argv[1][0] == 'c' ? compress_file(atoi(argv[2]), in, out) : decompress_file(in, out);
    good &= fclose(out) == 0;
    fclose(in);
    printf("zlib %s %llu -> %llu adler %08lx crc %08lx\n", argv[1], total_in, total_out, adler, crc);
    return !good;
}
