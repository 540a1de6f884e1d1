# The manual page, from what the command says of itself:
#   ardf --experimental-dump-help | jq -r -f tools/release/manual.jq --arg version 0.2.0 --arg date 2026-11-21 > ardf.1

# Text as roff takes it: no escapes, no hyphens that are minus signs, no line that looks like a request.
def roff: gsub("\\\\"; "\\e") | gsub("-"; "\\-") | gsub("(?<start>^|\n)(?<sign>[.'])"; "\(.start)\\&\(.sign)");

def name: if .kind == "long" then "--" + .name elif .kind == "short" then "-" + .name else "-" + .name end;
def value: "\\fI" + (.valueName | roff) + "\\fR";
def term:
  if .kind == "positional" then value
  else ([.names | sort_by(.kind == "long")[] | "\\fB" + (name | roff) + "\\fR"] | join(", "))
    + (if .kind == "option" then " " + value else "" end)
  end;
def shown: [.arguments[]? | select(.shouldDisplay and .valueName != "help" and .valueName != "version")];

# Paragraphs of a discussion; its examples stay as they are printed.
def discussion:
  (. // "") | split("\n")
  | reduce .[] as $line ({text: [], verbatim: false};
      if $line == "EXAMPLES:" then .text += [".PP", "Examples:", ".PP", ".RS 4", ".nf"] | .verbatim = true
      elif .verbatim then .text += [$line | ltrimstr("  ") | roff]
      elif $line == "" then .text += [".PP"]
      else .text += [$line | roff] end)
  | if .verbatim then .text + [".fi", ".RE"] else .text end | .[];

def argument:
  ".TP", term,
  ([.abstract // "", if .defaultValue then "Default: \(.defaultValue)." else empty end] | join(" ") | roff);

def synopsis($path):
  [shown[] | if .kind == "positional" then value + (if .isRepeating then " ..." else "" end)
    elif .isOptional then empty else "\\fB" + (.names[-1] | name | roff) + "\\fR " + value end] as $needed
  | "\\fB\($path | roff)\\fR [\\fIoptions\\fR]" + ($needed | map(" " + .) | join(""));

def verbs($path):
  .subcommands[]? | select(.commandName != "help" and .shouldDisplay != false) | ($path + " " + .commandName) as $path
  | (".SS " + ($path | roff)),
    (.abstract | roff),
    (if .subcommands then empty else ".PP", synopsis($path) end),
    (if .discussion then ".PP", (.discussion | discussion) else empty end),
    (shown[] | argument),
    verbs($path);

.command
| ".TH ARDF 1 \"\($date)\" \"ardf \($version)\" \"User Commands\"",
  ".SH NAME", "ardf \\- " + (.abstract | roff | rtrimstr(".") | (.[0:1] | ascii_downcase) + .[1:]),
  ".SH SYNOPSIS", "\\fBardf\\fR \\fIcommand\\fR [\\fIoptions\\fR] ...",
  ".SH DESCRIPTION", (.discussion | discussion),
  ".SH COMMANDS", verbs("ardf"),
  ".SH ENVIRONMENT",
  ".TP", ".B ARDF_WEIGHTS", "A folder of weights, looked into after ./weights.",
  ".TP", ".B ARDF_ISA", "Instruction set of the kernels: portable, avx2 or avx512; by default the best there is.",
  ".SH EXIT STATUS",
  (("0 done|1 a comparison or check failed|64 wrong usage|65 malformed input, or a limit reached|66 input missing"
    + "|70 an error of the program itself|73 output cannot be created|74 input or output failed|130, 143 ended by "
    + "SIGINT, SIGTERM") | split("|")[] | ".TP", (capture("^(?<code>[0-9, ]*[0-9]) (?<text>.*)$") | ".B \(.code)", .text)),
  ".SH FILES",
  "The files that commands read and write are described in docs/reference/formats.md of the distribution."
