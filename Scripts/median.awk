# Figures of benchmarks that measure in turns, a round after the other: value[WHAT, WHOM, ROUND], and `rounds`. Put before a program of one's own.

# The median; low and high become the quartiles.
function median(list, count,   sorted, i, j, t) {
  for (i = 1; i <= count; i++) sorted[i] = list[i]
  for (i = 2; i <= count; i++) for (j = i; j > 1 && sorted[j] < sorted[j - 1]; j--) { t = sorted[j]; sorted[j] = sorted[j - 1]; sorted[j - 1] = t }
  low = sorted[int((count + 3) / 4)]; high = sorted[count + 1 - int((count + 3) / 4)]
  return count % 2 ? sorted[(count + 1) / 2] : (sorted[count / 2] + sorted[count / 2 + 1]) / 2
}
# The median over the rounds of a figure, or of what two names make of it in the same round; added: to base[WHAT, ROUND].
function figure(what, a, b, how,   list, round) {
  for (round = 1; round <= rounds; round++) list[round] = how == "ratio" ? value[what, a, round] / value[what, b, round] : how == "added" ? (value[what, a, round] - base[what, round]) / (value[what, b, round] - base[what, round]) : how == "difference" ? value[what, a, round] - value[what, b, round] : value[what, a, round]
  return median(list, rounds)
}
# A ratio of the same round with its quartiles, behind what it is of.
function ratio(what, title, a, b,   middle) {
  middle = figure(what, a, b, "ratio")
  printf "   %s %.2f [%.2f %.2f]", title, middle, low, high
}
