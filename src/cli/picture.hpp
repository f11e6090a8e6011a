#pragma once
#include <string>
#include <vector>

namespace muster::cli {

/// Writes the picture that a program which draws (gnuplot, graphviz) makes of `text`: `arguments` are its
/// own, beginning with its name; it reads the standard input and writes the standard output. InputError
/// about `flag` if the program is not there or fails, or the file can't be written; `otherwise` is the
/// advice for whoever does not have it.
void write_picture(const std::vector<std::string>& arguments, const std::string& text,
                   const std::string& file, const std::string& flag, const std::string& otherwise);

}  // namespace muster::cli
