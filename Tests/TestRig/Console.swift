import Glibc

/// Lines for the person who watches, at once also through a pipe.
public enum Console {
  /// Prints a line and flushes it.
  public static func line(_ text: String = "") {
    print(text)
    fflush(nil)
  }

  /// Columns as wide as their widest cell, the first to the left, the others to the right.
  public static func table(_ rows: [[String]]) {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    for row in rows {
      let cells = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 ? cell + space : space + cell
      }
      line("  " + cells.joined(separator: "  "))
    }
  }
}
