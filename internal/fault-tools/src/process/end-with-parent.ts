// Preloaded in each TestChild: ends the child when its parent is killed, since the pipe to the parent ends then. The pipe
// alone does not keep a child alive.
import { Socket } from "node:net";

const { stdin } = process;
// Once in many thousand starts Node finds something else in the pipe's place: such a child ends with its test alone.
if (stdin instanceof Socket)
  stdin
    .on("end", () => process.exit())
    .resume()
    .unref();
