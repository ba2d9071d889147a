// Takes a wavy grid of triangles through meshoptimizer's whole pipeline.  Argument: side of the grid.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "meshoptimizer.h"

struct Vertex {
    float position[3], normal[3], uv[2];
};

// Triangles that do not share vertices, as a modelling program would export them.
static std::vector<Vertex> soup(int side) {
    std::vector<Vertex> result;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            static const int corner[6][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}};
            for (auto &c : corner) {
                float u = float(x + c[0]) / float(side), v = float(y + c[1]) / float(side);
                result.push_back({{u, v, std::sin(u * 9.f) * std::cos(v * 7.f) * 0.1f}, {0.f, 0.f, 1.f}, {u, v}});
            }
        }
    return result;
}

static uint64_t hash(const void *data, size_t size) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ static_cast<const unsigned char *>(data)[i]) * 1099511628211u;
    return h;
}

int main(int argc, char **argv) {
    int side = argc > 1 ? std::atoi(argv[1]) : 200;
    std::vector<Vertex> corners = soup(side);
    std::vector<unsigned> remap(corners.size());
    size_t count = meshopt_generateVertexRemap(remap.data(), nullptr, corners.size(), corners.data(), corners.size(), sizeof(Vertex));

    std::vector<Vertex> vertices(count);
    std::vector<unsigned> indices(corners.size());
    meshopt_remapVertexBuffer(vertices.data(), corners.data(), corners.size(), sizeof(Vertex), remap.data());
    meshopt_remapIndexBuffer(indices.data(), nullptr, corners.size(), remap.data());

    meshopt_optimizeVertexCache(indices.data(), indices.data(), indices.size(), count);
    meshopt_optimizeOverdraw(indices.data(), indices.data(), indices.size(), vertices[0].position, count, sizeof(Vertex), 1.05f);
    meshopt_optimizeVertexFetch(vertices.data(), indices.data(), indices.size(), vertices.data(), count, sizeof(Vertex));

    float error = 0;
    std::vector<unsigned> simple(indices.size());
    simple.resize(meshopt_simplify(simple.data(), indices.data(), indices.size(), vertices[0].position, count, sizeof(Vertex),
                                   indices.size() / 4, 0.02f, 0, &error));

    std::vector<unsigned char> index_code(meshopt_encodeIndexBufferBound(indices.size(), count));
    index_code.resize(meshopt_encodeIndexBuffer(index_code.data(), index_code.size(), indices.data(), indices.size()));
    std::vector<unsigned char> vertex_code(meshopt_encodeVertexBufferBound(count, sizeof(Vertex)));
    vertex_code.resize(meshopt_encodeVertexBuffer(vertex_code.data(), vertex_code.size(), vertices.data(), count, sizeof(Vertex)));

    std::vector<Vertex> decoded(count);
    if (meshopt_decodeVertexBuffer(decoded.data(), count, sizeof(Vertex), vertex_code.data(), vertex_code.size()) != 0)
        return 1;
    auto cache = meshopt_analyzeVertexCache(indices.data(), indices.size(), count, 16, 0, 0);
    std::printf("meshopt %d vertices %zu cache %u simplified %zu codes %zu %zu\n", side, count, cache.vertices_transformed,
                simple.size(), index_code.size(), vertex_code.size());
    std::printf("%016llx %016llx %016llx %016llx\n", (unsigned long long)hash(simple.data(), simple.size() * sizeof(unsigned)),
                (unsigned long long)hash(index_code.data(), index_code.size()),
                (unsigned long long)hash(vertex_code.data(), vertex_code.size()),
                (unsigned long long)hash(decoded.data(), decoded.size() * sizeof(Vertex)));
    return 0;
}
