# Reads Tests/mutants.tsv and writes its mutants, each behind its switch, into a copy of the sources (Docs/mutants.md).
#   awk -v copy=FOLDER [-v reads=1] -f Scripts/mutate.awk Tests/mutants.tsv >PLAN
# With `reads` the list is only held against the sources there. The plan: number, kind, place, killer, meaning, one mutant a line. What is wrong with the list goes to stderr; then the status is 1.

function wrong(line, text) { print "mutate: Tests/mutants.tsv:" line ": " text >"/dev/stderr"; bad = 1 }

# The whole of a file; "" when there is none.
function whole(path,   text, line) {
    text = ""
    while ((getline line <path) > 0) text = text line "\n"
    close(path)
    return text
}
function lines(text) { return gsub(/\n/, "\n", text) }

# Where the marked part of the text is in the file: sets `at` and `part`; false when the text is not there exactly once.
function locate(source, text,   open, close_, plain, found, rest) {
    gsub(/⏎/, "\n", text)
    open = index(text, "«"); close_ = index(text, "»")
    if (open && close_ < open) return 0
    plain = text
    if (open) {
        part = substr(text, open + length("«"), close_ - open - length("«"))
        plain = substr(text, 1, open - 1) part substr(text, close_ + length("»"))
    } else {
        part = text
        open = 1
    }
    found = index(source, plain)
    if (!found) return 0
    rest = substr(source, found + 1)
    if (index(rest, plain)) return 0
    at = found + open - 1
    return 1
}

BEGIN { FS = "\t" }
/^#/ || /^$/ { next }
{
    n = ++count
    if (NF < 6) { wrong(FNR, "6 columns are expected: kind, file, text, replacement, killer, meaning"); next }
    kind[n] = $1; file[n] = $2; by[n] = $4; line[n] = FNR
    gsub(/⏎/, "\n", by[n])
    if (kind[n] != "expr" && kind[n] != "stmt") { wrong(FNR, "the kind '" kind[n] "' is neither expr nor stmt"); next }
    if ($5 == "" || $6 == "") { wrong(FNR, "killer and meaning are needed"); next }
    if (!(file[n] in source)) {
        source[file[n]] = whole(copy "/" file[n])
        if (source[file[n]] == "") { wrong(FNR, file[n] " is not there or empty"); next }
        files[++known] = file[n]
    }
    if (!locate(source[file[n]], $3)) { wrong(FNR, "this text is not in " file[n] " exactly once: " $3); next }
    from[n] = at; old[n] = part
    print n FS kind[n] FS file[n] ":" lines(substr(source[file[n]], 1, at)) + 1 FS $5 FS $6
}

# The mutants of one file in the order of their places; those of one place choose one after the other.
function rewrite(path,   mine, i, j, t, n, list, done, text, end, piece) {
    mine = 0
    for (n = 1; n <= count; n++) if (file[n] == path && n in from) list[++mine] = n
    for (i = 2; i <= mine; i++)
        for (j = i; j > 1 && from[list[j]] < from[list[j - 1]]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    text = ""; done = 1
    for (i = 1; i <= mine; i = j) {
        n = list[i]
        for (j = i + 1; j <= mine && from[list[j]] == from[n] && old[list[j]] == old[n] && kind[list[j]] == kind[n]; j++) {}
        end = from[n] + length(old[n])
        if (j <= mine && from[list[j]] < end) wrong(line[list[j]], "overlaps line " line[n] ": let both replace the same text")
        piece = kind[n] == "expr" ? "(" old[n] ")" : "{\n" old[n] "\n}"
        for (t = j - 1; t >= i; t--)
            if (kind[n] == "expr") piece = "(homeroomMutant(" list[t] ") ? (" by[list[t]] ") : " piece ")"
            else piece = "if homeroomMutant(" list[t] ") {\n" by[list[t]] "\n} else " piece
        text = text substr(source[path], done, from[n] - done) piece
        done = end
    }
    if (bad || reads) return
    printf "%s", text substr(source[path], done) >(copy "/" path)
    close(copy "/" path)
}
END {
    if (!count) wrong(0, "no mutants")
    for (i = 1; i <= known; i++) if (!bad) rewrite(files[i])
    exit bad
}
