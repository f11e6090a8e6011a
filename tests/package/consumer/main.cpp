#include <iostream>

#include "muster/core/version.hpp"

int main() { std::cout << muster::version() << '\n'; }
