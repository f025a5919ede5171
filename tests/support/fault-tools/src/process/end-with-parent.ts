// Preloaded in each TestChild: ends the child when its parent is killed, because the pipe to the parent ends then. The
// pipe alone does not keep a child alive.
import { Socket } from "node:net";

const { stdin } = process;
// Once in many thousand starts, Node finds something else in place of the pipe. Such a child ends only with its test.
if (stdin instanceof Socket)
  stdin
    .on("end", () => process.exit())
    .resume()
    .unref();
