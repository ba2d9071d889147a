/* Runs a Lua script.  Arguments: SCRIPT, then the script's own arguments as the global table "arg". */
#include <stdio.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s SCRIPT [ARGUMENT]...\n", argv[0]);
        return 2;
    }
    lua_State *state = luaL_newstate();
    if (!state)
        return 1;
    luaL_openlibs(state);
    lua_createtable(state, argc, 0);
    for (int i = 2; i < argc; i++) {
        lua_pushstring(state, argv[i]);
        lua_rawseti(state, -2, i - 1);
    }
    lua_setglobal(state, "arg");
    int code = luaL_dofile(state, argv[1]);
    if (code)
        fprintf(stderr, "%s\n", lua_tostring(state, -1));
    lua_close(state);
    return code != 0;
}
