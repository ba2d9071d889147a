// Runs the statements of a file against a database and prints every row.  Arguments: DATABASE (or :memory:), SQL file.
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

static int print_row(void *unused, int columns, char **values, char **names) {
    (void)unused, (void)names;
    for (int i = 0; i < columns; i++)
        printf("%s%s", i ? "|" : "", values[i] ? values[i] : "NULL");
    putchar('\n');
    return 0;
}

static char *read_file(const char *name) {
    FILE *file = fopen(name, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    if (text) {
        size_t got = fread(text, 1, size, file);
        text[got] = 0;
    }
    fclose(file);
    return text;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s DATABASE SQL\n", argv[0]);
        return 2;
    }
    char *text = read_file(argv[2]), *message = NULL;
    sqlite3 *db = NULL;
    if (!text || sqlite3_open(argv[1], &db) != SQLITE_OK) {
        fprintf(stderr, "cannot open %s\n", text ? argv[1] : argv[2]);
        return 1;
    }
    int code = sqlite3_exec(db, text, print_row, NULL, &message);
    if (code != SQLITE_OK)
        fprintf(stderr, "%s\n", message);
    sqlite3_close(db);
    free(text);
    return code != SQLITE_OK;
}
