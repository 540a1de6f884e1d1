import ArgumentParser

/// How tables for people are laid out.
struct TableOptions: ParsableArguments {
  @Flag(
    help:
      "Print each row of a table on one line, however wide; by default rows wrap at 80 columns."
  )
  var wide = false

  func validate() throws { TextTable.isWide = wide }
}
