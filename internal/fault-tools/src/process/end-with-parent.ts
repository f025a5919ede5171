// Loaded before a test's child: a parent that is killed cannot end its children, but its pipe to them ends. The pipe alone
// does not keep a child alive.
process.stdin
  .on("end", () => process.exit())
  .resume()
  .unref();
