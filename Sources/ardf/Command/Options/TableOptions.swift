import ArgumentParser

/// How tables for people are laid out.
struct TableOptions: ParsableArguments {
  @Flag(
    help:
      "A line for each row of a table, however wide; by default rows continue in further lines at 80 columns."
  )
  var wide = false

  func validate() throws { TextTable.isWide = wide }
}
