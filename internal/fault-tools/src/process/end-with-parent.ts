// Preloaded in each TestChild: ends the child when its parent is killed, since the pipe to the parent ends then. The pipe
// alone does not keep a child alive.
process.stdin
  .on("end", () => process.exit())
  .resume()
  .unref();
